-- The questions, by the names in engine/store.py. A page starts after `after`; '' starts at the beginning.
-- Where a filter may be '' for any, each case is an arm of its own: only the arm that is asked for runs, and it walks
-- the index that has its order. One arm with ORs would read the whole table. Only the first column is read.

-- name: declared_at
-- The declaration that has this slot.
SELECT body, ref FROM declared WHERE slot = :slot;

-- name: declared_in
-- The declarations that have these slots, by slot; a free slot is left out.
SELECT body FROM declared WHERE slot IN (SELECT value FROM json_each(:slots)) ORDER BY slot;

-- name: declared_page
-- A page of one kind inside a scope, by ref. A ref is kind, slash, id, and '0' is what follows the slash: so a kind is
-- a range of refs, and no kind is the range up to x'', which is greater than any text.
SELECT body, ref FROM declared
WHERE :organization = ''
    AND ref > max(:after, :kind || '/') AND ref < iif(:kind = '', x'', :kind || '0')
UNION ALL
SELECT body, ref FROM declared
WHERE :organization <> '' AND :project = '' AND organization = :organization
    AND ref > max(:after, :kind || '/') AND ref < iif(:kind = '', x'', :kind || '0')
UNION ALL
SELECT body, ref FROM declared
WHERE :workspace = '' AND organization = :organization AND project = :project AND project <> ''
    AND ref > max(:after, :kind || '/') AND ref < iif(:kind = '', x'', :kind || '0')
UNION ALL
SELECT body, ref FROM declared
WHERE organization = :organization AND project = :project AND workspace = :workspace AND workspace <> ''
    AND ref > max(:after, :kind || '/') AND ref < iif(:kind = '', x'', :kind || '0')
ORDER BY ref LIMIT :limit;

-- name: declared_inside
-- Everything inside a scope, by ref.
SELECT body, ref FROM declared WHERE :organization = ''
UNION ALL
SELECT body, ref FROM declared
WHERE :organization <> '' AND :project = '' AND organization = :organization
UNION ALL
SELECT body, ref FROM declared
WHERE :workspace = '' AND organization = :organization AND project = :project AND project <> ''
UNION ALL
SELECT body, ref FROM declared
WHERE organization = :organization AND project = :project AND workspace = :workspace AND workspace <> ''
ORDER BY ref;

-- name: declared_children
-- What has this parent, by ref.
SELECT body FROM declared WHERE parent = :parent ORDER BY ref;

-- name: declared_referring
-- What mentions this ref among its `refs`, by ref; the triggers on `declared` keep `reference` from that JSON list.
SELECT declared.body FROM reference JOIN declared ON declared.ref = reference.source
WHERE reference.target = :ref ORDER BY reference.source;

-- name: declared_owned
-- What this owner manages in an organization, by ref.
SELECT body FROM declared WHERE organization = :organization AND owner = :owner AND owner <> '' ORDER BY ref;

-- name: holding
-- How many objects one organization has, and how large their declarations are together.
SELECT json_object('objects', count(*), 'bytes', coalesce(sum(length(body)), 0)) FROM declared
WHERE organization = :organization;

-- name: tallies
-- How many of each kind are in which state, place by place; what was never looked at has no state.
SELECT json_object(
    'kind', kind, 'scope', json_object('organization', :organization, 'project', project, 'workspace', workspace),
    'state', coalesce(state, ''), 'count', count(*)
) FROM declared LEFT JOIN status ON status.ref = declared.ref
WHERE organization = :organization
    AND (:project = '' OR project = :project) AND (:workspace = '' OR workspace = :workspace)
GROUP BY kind, project, workspace, coalesce(state, '')
ORDER BY kind, project, workspace, coalesce(state, '');

-- name: declared_all
-- A page of everything declared, by ref.
SELECT body FROM declared WHERE ref > :after ORDER BY ref LIMIT :limit;

-- name: declared_of
-- The declarations of these refs, by ref; a ref without one is left out.
SELECT body FROM declared WHERE ref IN (SELECT value FROM json_each(:refs)) ORDER BY ref;

-- name: statuses
-- The statuses of these refs, by ref; a ref without one is left out.
SELECT body FROM status WHERE ref IN (SELECT value FROM json_each(:refs)) ORDER BY ref;

-- name: ledgers_of
-- What the guards remember of these domains, by ref; one of which nothing is remembered is left out.
SELECT body FROM ledger WHERE ref IN (SELECT value FROM json_each(:refs)) ORDER BY ref;

-- name: wakes_of
-- The wakes of one ref, oldest first.
SELECT body FROM wake WHERE ref = :ref ORDER BY id;

-- name: wakes_after
-- A page of all wakes, oldest first.
SELECT body FROM wake WHERE id > :after ORDER BY id LIMIT :limit;

-- name: acts_open
-- Acts that were begun and not settled, oldest first, of one domain or of all.
SELECT body, id FROM act WHERE :domain = '' AND slot IS NOT NULL
UNION ALL
SELECT body, id FROM act WHERE :domain <> '' AND domain = :domain AND slot IS NOT NULL
ORDER BY id;

-- name: acts_since
-- Acts of one domain that began at or after a time, in the order they began.
SELECT body FROM act WHERE domain = :domain AND began_at >= :since ORDER BY began_at, id;

-- name: acts_of
-- The acts with these ids, by id; one that is not in the journal is left out.
SELECT body FROM act WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: acts_page
-- A page of acts, newest first, of one domain or of all.
SELECT body, id FROM act WHERE :domain = '' AND id < iif(:after = '', x'', :after)
UNION ALL
SELECT body, id FROM act WHERE :domain <> '' AND domain = :domain AND id < iif(:after = '', x'', :after)
ORDER BY id DESC LIMIT :limit;

-- name: plans_of
-- The last plans of one ref, newest first.
SELECT body FROM plan WHERE ref = :ref ORDER BY id DESC LIMIT 20;

-- name: plans_page
-- A page of plans, newest first, of one organization or all, in one state or any.
SELECT body, id FROM plan
WHERE :organization = '' AND :state = '' AND id < iif(:after = '', x'', :after)
UNION ALL
SELECT body, id FROM plan
WHERE :organization = '' AND :state <> '' AND state = :state AND id < iif(:after = '', x'', :after)
UNION ALL
SELECT body, id FROM plan
WHERE :organization <> '' AND :state = '' AND organization = :organization AND id < iif(:after = '', x'', :after)
UNION ALL
SELECT body, id FROM plan
WHERE :organization <> '' AND :state <> '' AND organization = :organization AND state = :state
    AND id < iif(:after = '', x'', :after)
ORDER BY id DESC LIMIT :limit;

-- name: approvals_of
-- The approvals of one ref, oldest first.
SELECT body FROM approval WHERE ref = :ref ORDER BY id;

-- name: switches
-- Every switch, by key.
SELECT body FROM switch ORDER BY key;

-- name: switches_of
-- The switches with these keys, by key; one that was never moved is left out.
SELECT body FROM switch WHERE key IN (SELECT value FROM json_each(:keys)) ORDER BY key;

-- name: tasks_of
-- The last tasks of one target, newest first.
SELECT body FROM task WHERE target = :target ORDER BY id DESC LIMIT 20;

-- name: tasks_open
-- Tasks that have not ended, oldest first.
SELECT body FROM task WHERE slot IS NOT NULL ORDER BY id;

-- name: tasks_page
-- A page of tasks, newest first, of one organization or of all.
SELECT body, id FROM task WHERE :organization = '' AND id < iif(:after = '', x'', :after)
UNION ALL
SELECT body, id FROM task
WHERE :organization <> '' AND organization = :organization AND id < iif(:after = '', x'', :after)
ORDER BY id DESC LIMIT :limit;

-- name: events_after
-- A page of one organization's events after a revision, oldest first.
SELECT body FROM event WHERE organization = :organization AND revision > :after ORDER BY revision LIMIT :limit;

-- name: first_event_of
-- The first event about one ref: where the past of an organization begins.
SELECT body FROM event WHERE ref = :ref ORDER BY revision, organization DESC LIMIT 1;

-- name: events_of
-- The last events about one ref, newest first.
SELECT body FROM event WHERE ref = :ref ORDER BY revision DESC, organization LIMIT :limit;

-- name: protections_of
-- The protected items of one domain, by key.
SELECT body FROM protection WHERE domain = :domain ORDER BY key;

-- name: released_of
-- The items of one domain that a person let go again, by key.
SELECT body FROM released WHERE domain = :domain ORDER BY key;

-- name: parked_of
-- The parked items of one domain, by key.
SELECT body FROM parked WHERE domain = :domain ORDER BY key;

-- name: passes_page
-- A page of recorded passes, newest first, of one ref or of all.
SELECT body, id FROM pass WHERE :ref = '' AND id < iif(:after = '', x'', :after)
UNION ALL
SELECT body, id FROM pass WHERE :ref <> '' AND ref = :ref AND id < iif(:after = '', x'', :after)
ORDER BY id DESC LIMIT :limit;

-- name: passes_in
-- A page of one organization's recorded passes, newest first.
SELECT body FROM pass WHERE organization = :organization AND id < iif(:after = '', x'', :after)
ORDER BY id DESC LIMIT :limit;

-- name: passes_oldest
-- Recorded passes from before a time, oldest first.
SELECT body FROM pass WHERE at < :before ORDER BY at, id LIMIT :limit;

-- name: passes_kept
-- How many passes are on record, and how large they are together.
SELECT json_object('passes', count(*), 'bytes', coalesce(sum(length(body)), 0)) FROM pass;

-- name: budgets
-- Every fleet budget, by key.
SELECT body FROM budget ORDER BY key;

-- name: audit_page
-- A page of one organization's audit chain after a revision, oldest first.
SELECT body FROM audit WHERE organization = :organization AND revision > :after ORDER BY revision LIMIT :limit;

-- name: audit_back
-- A page of one organization's audit chain before a revision, newest first.
SELECT body FROM audit WHERE organization = :organization AND revision < :after ORDER BY revision DESC LIMIT :limit;

-- name: shards_of
-- The shards of one service, by key.
SELECT body FROM shard WHERE service = :service ORDER BY key;

-- name: replicas_of
-- The replicas of one service that were alive lately, by key.
SELECT body FROM replica WHERE service = :service ORDER BY key;

-- name: clock
-- The store's own clock, in seconds.
SELECT (julianday('now') - 2440587.5) * 86400.0;
