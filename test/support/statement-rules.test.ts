import { expect, test } from 'vitest'
import { findBrokenRules } from './statement-rules.ts'

test.each([
  'insert into "prices" ("organizationId") select $1 from unnest($2::text[]) as r ("id")',
  'insert into "postings" ("organizationId") select o."id" from "organizations" as o where o."id" = $1',
  'select "id" from "mails" where "status" = $1 order by "id" limit $2 for no key update skip locked',
  `update "bids" as t set "status" = $2 where t."organizationId" = $1 returning to_char(t."at", 'YYYY') as "at"`,
  'update "punchItems" set "noticeDueAt" = null where "organizationId" = $1 returning "dueDate"::text',
  'update "vendors" set "complianceDueAt" = "dayStart"($1::date, $2) where "organizationId" = $3',
  'with "mail" as ( update "mails" set "status" = $1 where "organizationId" = $2 returning "id") select "id" from "mail"',
  'select p."id" from "payments" as p join "vendors" as v on v."organizationId" = p."organizationId" and v."id" = p."vendorId" where p."organizationId" = $1',
  'select "id" from "tasks" where "homeId" = $1',
  'update "deliveries" d set "claimId" = $1 where d."organizationId" = $2 and d.ctid = any($3)',
])('a statement that a distributed database rejects breaks a rule: %s', (text) => {
  expect(findBrokenRules(text)).toHaveLength(1)
})

test.each([
  'insert into "prices" ("organizationId") select o."id" from "organizations" as o cross join unnest($2::text[]) as r ("id") where o."id" = $1',
  'insert into "postings" ("organizationId") values ($1)',
  'select "id" from "mails" where "organizationId" = $1 for no key update skip locked',
  'select from "organizations" where "id" = $1 for key share',
  'update "bids" as t set "status" = $2 where t."organizationId" = $1 returning t."id"',
  'select p."id" from "payments" as p join "organizations" as g on g."id" = $1 where p."organizationId" = $1',
  'with "contracts" as (select "saleId" from "postings" where "organizationId" = $1) select * from "contracts"',
])('a simple statement breaks no rule: %s', (text) => {
  expect(findBrokenRules(text)).toEqual([])
})
