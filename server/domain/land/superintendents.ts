/**
 * Returns SQL of the IDs of the homes of a superintendent: those that name the user, and those without a superintendent
 * in communities that name the user. `user` is a parameter, and $1 the organization.
 */
export function homesOfSuperintendentSql(user: string): string {
  return `
    select h."id" from "homes" as h where h."organizationId" = $1 and h."superintendentId" = ${user}
    union all select h."id" from "homes" as h
    where h."organizationId" = $1 and h."superintendentId" is null and h."communityId" = any(array(
      select c."id" from "communities" as c where c."organizationId" = $1 and c."superintendentId" = ${user}))`
}
