import { expect, test } from 'vitest'
import { isRead } from './reads.ts'

test.each([
  ['select 1', true],
  ['\n    select "updatedAt" from "vendors"', true],
  ['with "due" as (select 1) select "updates" from "due"', true],
  ['selected', false],
  ['insert into "vendors" select 1', false],
  ['\n  with created as (insert into "vendors" values ($1) returning *) select * from created', false],
  ['with gone as (\n  delete from "mails" where "id" = $1) select 1', false],
  ['with due as (select 1 for no key update) select 1', false],
  ['/* writes */ select * from "takeFromWindow"($1)', false],
])('%j only reads: %s', (text, reads) => {
  expect(isRead(text)).toBe(reads)
})
