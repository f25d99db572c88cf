-- What is asked about sealed secrets and their keys.

-- name: keys_of
-- The keys of one organization, newest first.
SELECT body FROM organization_key WHERE home = :home ORDER BY version DESC;

-- name: keys_retired
-- The keys that nothing is sealed with any more, by id.
SELECT body FROM organization_key WHERE retired_at > 0 ORDER BY id;

-- name: keys_under
-- Some of the keys that one master key wraps, by id.
SELECT body FROM organization_key WHERE master = :master ORDER BY id LIMIT :limit;

-- name: keys_page
-- A page of all keys, by id.
SELECT body FROM organization_key WHERE id > :after ORDER BY id LIMIT :limit;

-- name: organizations
-- A page of all organizations, by ref.
SELECT body FROM declared WHERE organization = '' AND kind = 'organization' AND ref > :after ORDER BY ref LIMIT :limit;

-- name: secrets_of
-- A page of the secrets of one organization, by name.
SELECT body FROM secret WHERE home = :home AND name > :after ORDER BY name LIMIT :limit;

-- name: secrets_held
-- How many secrets one organization has, and how large they are together.
SELECT convert_to(
    json_build_object('objects', count(*), 'bytes', coalesce(sum(length(body)), 0))::text, 'UTF8'
) FROM secret WHERE home = :home;

-- name: uses_of
-- Which version of its secrets worked for whom in one organization, by id.
SELECT body FROM secret_use WHERE home = :home ORDER BY id;
