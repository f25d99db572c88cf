-- What has the same words in every dialect: above all how everything stands, picked out by the store. What leaves something out
-- is one CASE: a planner takes it for half of the rows, and follows the index that has the order instead of sorting what is left.

-- name: declared_by
-- A walk along one organization in one order. The kind is the beginning of the ref, so that the index has all that places
-- are told apart by, and nothing else is looked up.
SELECT body FROM declared
WHERE organization = :organization AND {beyond} AND CASE
    WHEN :kind <> '' AND substr(ref, 1, length(:kind) + 1) <> :kind || '/' THEN false
    WHEN :project <> '' AND project <> :project THEN false
    WHEN :workspace <> '' AND workspace <> :workspace THEN false
    WHEN :text <> '' AND replace(words, :text, '') = words THEN false
    WHEN :state = '' THEN true
    ELSE coalesce((SELECT state FROM status WHERE status.ref = declared.ref), :unseen) = :state
END
ORDER BY {order} LIMIT :limit;

-- name: unwell
-- What is in one state other than READY, by ref: few are, so it is they who are walked along.
SELECT declared.body FROM status CROSS JOIN declared
WHERE declared.ref = status.ref AND status.state = :state AND status.state <> 'READY' AND status.ref > :after
    AND organization = :organization AND CASE
        WHEN :kind <> '' AND substr(declared.ref, 1, length(:kind) + 1) <> :kind || '/' THEN false
        WHEN :project <> '' AND project <> :project THEN false
        WHEN :workspace <> '' AND workspace <> :workspace THEN false
        ELSE :text = '' OR replace(words, :text, '') <> words
    END
ORDER BY status.ref LIMIT :limit;

-- name: heads_page
-- A page of the chains of all organizations, also of those that are gone, by organization.
SELECT body FROM head WHERE organization > :after ORDER BY organization LIMIT :limit;

-- name: events_before
-- A page of one organization's events below a revision, newest first.
SELECT body FROM event WHERE organization = :organization AND revision < :below ORDER BY revision DESC LIMIT :limit;

-- name: claims_below
-- Parts of one thing at one account that belong to other organizations than this one, by path.
SELECT body FROM claim
WHERE account = :account AND path > :path AND path < :end AND organization <> :organization
ORDER BY path, organization, key LIMIT 20;

-- name: claims_below_own
-- Parts of one thing at one account that belong to this organization, after a path, by path.
SELECT body FROM claim
WHERE account = :account AND path > :path AND path < :end AND organization = :organization
ORDER BY path LIMIT :limit;
