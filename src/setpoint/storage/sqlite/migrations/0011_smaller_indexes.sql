-- Most declarations have no owner, and what lives in an organization has no project: an index that leaves them out costs
-- them nothing. Whoever asks says so in the question, or the planner does not know that nothing is missed.

DROP INDEX declared_by_owner;
DROP INDEX declared_by_project;
DROP INDEX declared_by_workspace;
CREATE INDEX declared_by_owner ON declared (organization, owner, ref) WHERE owner <> '';
CREATE INDEX declared_by_project ON declared (organization, project, ref) WHERE project <> '';
CREATE INDEX declared_by_workspace ON declared (organization, project, workspace, ref) WHERE workspace <> '';

-- down:

DROP INDEX declared_by_owner;
DROP INDEX declared_by_project;
DROP INDEX declared_by_workspace;
CREATE INDEX declared_by_owner ON declared (organization, owner, ref);
CREATE INDEX declared_by_project ON declared (organization, project, ref);
CREATE INDEX declared_by_workspace ON declared (organization, project, workspace, ref);
