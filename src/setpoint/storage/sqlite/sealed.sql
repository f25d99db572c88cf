-- Sealed secrets and their keys: rows by key as every commit writes them, and what is asked about them.

-- name: get_master
-- Which master key this is, by its key.
SELECT body FROM master WHERE key = :key;

-- name: put_master
-- Insert which master key this is, or replace it.
INSERT INTO master (key, id, body) VALUES (:key, :id, :body)
ON CONFLICT (key) DO UPDATE SET
    id = excluded.id, body = excluded.body;

-- name: drop_master
-- Forget which master key this is.
DELETE FROM master WHERE key = :key;

-- name: get_organization_key
-- A key of an organization, by its id.
SELECT body FROM organization_key WHERE id = :key;

-- name: put_organization_key
-- Insert a key of an organization, or replace it.
INSERT INTO organization_key (id, home, version, master, retired_at, body) VALUES (:id, :home, :version, :master, :retired_at, :body)
ON CONFLICT (id) DO UPDATE SET
    home = excluded.home, version = excluded.version, master = excluded.master, retired_at = excluded.retired_at, body = excluded.body;

-- name: drop_organization_key
-- Forget a key of an organization.
DELETE FROM organization_key WHERE id = :key;

-- name: get_secret
-- A sealed secret, by its id.
SELECT body FROM secret WHERE id = :key;

-- name: put_secret
-- Insert a sealed secret, or replace it.
INSERT INTO secret (id, home, name, revision, body) VALUES (:id, :home, :name, :revision, :body)
ON CONFLICT (id) DO UPDATE SET
    home = excluded.home, name = excluded.name, revision = excluded.revision, body = excluded.body;

-- name: drop_secret
-- Forget a sealed secret.
DELETE FROM secret WHERE id = :key;

-- name: get_secret_use
-- What worked for somebody, by its id.
SELECT body FROM secret_use WHERE id = :key;

-- name: put_secret_use
-- Insert what worked for somebody, or replace it.
INSERT INTO secret_use (id, home, body) VALUES (:id, :home, :body)
ON CONFLICT (id) DO UPDATE SET
    home = excluded.home, body = excluded.body;

-- name: drop_secret_use
-- Forget what worked for somebody.
DELETE FROM secret_use WHERE id = :key;

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
SELECT json_object('objects', count(*), 'bytes', coalesce(sum(length(body)), 0)) FROM secret WHERE home = :home;

-- name: uses_of
-- Which version of its secrets worked for whom in one organization, by id.
SELECT body FROM secret_use WHERE home = :home ORDER BY id;
