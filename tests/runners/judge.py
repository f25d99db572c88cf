"""The judge: a process of its own that writes down every effect; whoever made it may be killed."""

import asyncio
import sys
from pathlib import Path


async def main(socket: str, book: str) -> None:
    """One line in, one line in the book, one line back."""
    with Path(book).open("ab", buffering=0) as lines:  # noqa: ASYNC230 - a book of a few lines

        async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = await reader.readline()
            lines.write(line)
            writer.write(b"noted\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_unix_server(heard, socket) as server:
            await server.serve_forever()


async def tell(socket: str, key: str) -> None:
    """An effect, under its idempotency key; when this does not return, it may have happened all the same."""
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(f"{key}\n".encode())
    await reader.readline()
    writer.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
