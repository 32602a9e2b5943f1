import { type Kysely, sql } from 'kysely'

/**
 * The communities and plans to which a contract applies, as links, with a separate link for "all". A turnkey contract
 * applies to the plans of its lump sums. With these links, the contracts of a community or plan are found without
 * reading other contracts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "linksOfContract"("communityIds" text[], "planIds" text[], "contractType" text, "lumpSums" jsonb)
    returns text[] language sql immutable parallel safe as $$
      select case when "communityIds" = '{}' then array['all communities'] else "communityIds" end || case
        when "contractType" = 'turnkey' then array(select s ->> 'planId' from jsonb_array_elements("lumpSums") s where s ->> 'planId' is not null)
        when "planIds" = '{}' then array['all plans'] else "planIds" end
    $$`.execute(db)
  await sql`
    create function "link_contracts"() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        delete from "links" where "organizationId" = old."organizationId" and "recordId" = old."id";
      end if;
      if tg_op <> 'DELETE' then
        insert into "links" select distinct new."organizationId", l."id", new."id"
        from unnest("linksOfContract"(new."communityIds", new."planIds", new."contractType", new."lumpSums")) as l ("id");
      end if;
      return null;
    end $$`.execute(db)
  await sql`create trigger "linked_new" after insert or delete on "contracts" for each row execute function "link_contracts"()`.execute(
    db,
  )
  await sql`create trigger "linked_changed" after update on "contracts" for each row
    when ((new."communityIds", new."planIds", new."contractType", new."lumpSums")
      is distinct from (old."communityIds", old."planIds", old."contractType", old."lumpSums"))
    execute function "link_contracts"()`.execute(db)
  await sql`
    insert into "links" select distinct t."organizationId", l."id", t."id"
    from "contracts" as t, unnest("linksOfContract"(t."communityIds", t."planIds", t."contractType", t."lumpSums")) as l ("id")`.execute(
    db,
  )
}
