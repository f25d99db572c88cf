-- Who owns which shard, in one statement and by the clock of the database.

-- name: lease
-- Give back, keep, take: then whose the shards are, and how many replicas are alive. Shards that a commit rests on right
-- now are not waited for: whoever asks next may have them. What is dropped from `replica` died, and nobody waits for it.
-- A new epoch is at least the time in milliseconds: a database that lost its last commits would count the same again.
WITH instant AS MATERIALIZED (
    SELECT extract(epoch FROM clock_timestamp())::float8 AS now
), mine AS MATERIALIZED (
    SELECT key FROM shard WHERE service = :service AND owner = :owner ORDER BY key FOR UPDATE
), unowned AS MATERIALIZED (
    SELECT shard.key FROM shard, instant
    WHERE service = :service AND owner <> :owner AND (:alone OR until <= now)
    ORDER BY key LIMIT :more FOR UPDATE OF shard SKIP LOCKED
), decided AS (
    SELECT key, '' AS owner, 0 AS step, 0::bigint AS lowest, 0::float8 AS until FROM mine WHERE key = ANY(:back)
    UNION ALL
    SELECT key, :owner, 0, 0, now + :seconds FROM mine, instant WHERE key <> ALL(:back)
    UNION ALL
    SELECT key, :owner, 1, (now * 1000)::bigint, now + :seconds FROM unowned, instant
), moved AS (
    UPDATE shard SET
        owner = decided.owner, epoch = greatest(shard.epoch + decided.step, decided.lowest), until = decided.until,
        body = convert_to(json_build_object(
            'key', shard.key, 'service', shard.service, 'owner', decided.owner,
            'epoch', greatest(shard.epoch + decided.step, decided.lowest), 'until', decided.until
        )::text, 'UTF8')
    FROM decided WHERE shard.key = decided.key
    RETURNING shard.key, shard.owner, shard.body
), me AS (
    INSERT INTO replica (key, service, until, body)
    SELECT :replica, :service, now + :seconds, convert_to(json_build_object(
        'key', :replica::text, 'service', :service::text, 'until', now + :seconds
    )::text, 'UTF8') FROM instant
    ON CONFLICT (key) DO UPDATE SET until = excluded.until, body = excluded.body
), gone AS MATERIALIZED (
    SELECT key FROM replica, instant WHERE service = :service AND until <= now AND key <> :replica
    ORDER BY key FOR UPDATE OF replica SKIP LOCKED
), buried AS (
    DELETE FROM replica USING gone WHERE replica.key = gone.key
)
SELECT
    (SELECT coalesce(array_agg(body ORDER BY key), '{}') FROM moved WHERE owner = :owner) AS mine,
    (SELECT count(*) FROM replica, instant WHERE service = :service AND until > now AND key <> :replica) + 1 AS replicas,
    (SELECT now FROM instant) AS clock;
