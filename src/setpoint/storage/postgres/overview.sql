-- How everything stands, counted and picked out by the store.

-- name: tallies
-- How many of each kind are in which state, place by place; what was never looked at has no state.
SELECT convert_to(json_build_object(
    'kind', kind, 'scope', json_build_object('organization', :organization::text, 'project', project, 'workspace', workspace),
    'state', coalesce(state, ''), 'count', count(*)
)::text, 'UTF8') FROM declared LEFT JOIN status ON status.ref = declared.ref
WHERE organization = :organization
    AND (:project = '' OR project = :project) AND (:workspace = '' OR workspace = :workspace)
GROUP BY kind, project, workspace, coalesce(state, '')
ORDER BY kind, project, workspace, coalesce(state, '');

-- name: unwell
-- What is not as it should be in a scope, worst first, then by ref; what was never looked at is not among it.
SELECT declared.body FROM declared JOIN status ON status.ref = declared.ref
WHERE organization = :organization
    AND (:project = '' OR project = :project) AND (:workspace = '' OR workspace = :workspace)
    AND state <> 'READY'
ORDER BY CASE state WHEN 'FAILED' THEN 0 WHEN 'HELD' THEN 1 WHEN 'DEGRADED' THEN 2 ELSE 3 END, declared.ref
LIMIT :limit;

-- name: events_before
-- A page of one organization's events below a revision, newest first.
SELECT body FROM event WHERE organization = :organization AND revision < :below ORDER BY revision DESC LIMIT :limit;

-- name: ledgers_of
-- What the guards remember of these domains, by ref; one of which nothing is remembered is left out.
SELECT body FROM ledger WHERE ref = ANY(:refs) ORDER BY ref;
