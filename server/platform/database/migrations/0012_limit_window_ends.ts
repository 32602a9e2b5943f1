import { type Kysely, sql } from 'kysely'

// The function now also returns the end of the window, measured by the clock of the database, in addition to the
// remaining time. Responses contain the end, which is the same in all of them. Processes use the remaining time, which
// they measure by their own clock.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop function "takeFromWindow"(text, bigint, integer, boolean, bigint, timestamptz)`.execute(db)
  await sql`
    create function "takeFromWindow"(
      "inScope" text, "inLimit" bigint, "inSeconds" integer, "inAligned" boolean, "inWanted" bigint, "inNow" timestamptz
    ) returns table ("granted" bigint, "used" bigint, "endsInMs" bigint, "endsAtMs" bigint) language plpgsql as $$
    declare
      held "limitWindows"%rowtype;
      opens timestamptz := case when "inAligned" then date_trunc('day', "inNow" at time zone 'UTC') at time zone 'UTC' else "inNow" end;
      given bigint;
    begin
      perform set_config('synchronous_commit', 'off', true);
      insert into "limitWindows" values ("inScope", opens, opens + make_interval(secs => "inSeconds"), 0)
        on conflict ("scope") do nothing;
      select * into held from "limitWindows" w where w."scope" = "inScope" for update;
      if held."endsAt" <= "inNow" then
        held."startsAt" := opens;
        held."endsAt" := opens + make_interval(secs => "inSeconds");
        held."used" := 0;
      end if;
      given := greatest(-held."used", least("inWanted", "inLimit" - held."used"));
      if "inWanted" > 0 then given := greatest(given, 0); end if;
      update "limitWindows" w set "startsAt" = held."startsAt", "endsAt" = held."endsAt", "used" = held."used" + given
        where w."scope" = "inScope";
      return query select given, held."used" + given, (extract(epoch from held."endsAt" - "inNow") * 1000)::bigint,
        (extract(epoch from held."endsAt") * 1000)::bigint;
    end $$`.execute(db)
}
