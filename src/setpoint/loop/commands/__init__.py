"""The commands for loop files: words in, a verb on a station, words out."""
