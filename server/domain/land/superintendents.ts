/**
 * Returns SQL for the IDs of the homes of a superintendent. If a home has no superintendent, the superintendent of its
 * community is responsible. `user` is the parameter for the user's ID. $1 is the organization.
 */
export function toSuperintendentHomesSql(user: string): string {
  return `
    select h."id" from "homes" as h where h."organizationId" = $1 and h."superintendentId" = ${user}
    union all select h."id" from "homes" as h
    where h."organizationId" = $1 and h."superintendentId" is null and h."communityId" = any(array(
      select c."id" from "communities" as c where c."organizationId" = $1 and c."superintendentId" = ${user}))`
}
