import { type Kysely, sql } from 'kysely'

/**
 * The total of a bid excludes its alternate lines. Bids that were submitted before have a total with these lines, and
 * an award that named no lines contained them. Such an award keeps its lines, which the bid now names.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await excludeAlternates(db)
}

export async function excludeAlternates(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "bids" as b set
      "amount" = s."base",
      "awardedLineIds" = case when b."status" = 'accepted' then coalesce(b."awardedLineIds", s."offered")
        else b."awardedLineIds" end,
      "version" = b."version" + 1, "updatedAt" = now()
    from (
      select a."organizationId", a."id", sum((l."line" ->> 'amount')::numeric) as "total",
        sum((l."line" ->> 'amount')::numeric) filter (where l."line" ->> 'alternate' <> 'true') as "base",
        array_agg(l."line" ->> 'lineId' order by l."place") filter (where l."line" ->> 'excluded' <> 'true') as "offered"
      from "bids" as a
      cross join lateral jsonb_array_elements(a."lines") with ordinality as l ("line", "place")
      where a."lines" @> '[{"alternate": true}]'
      group by a."organizationId", a."id"
    ) as s
    where b."organizationId" = s."organizationId" and b."id" = s."id" and b."amount" = s."total"
      and s."base" >= 0 and s."base" <> s."total"`.execute(db)
}
