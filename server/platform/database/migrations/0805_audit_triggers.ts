import { type Kysely, sql } from 'kysely'

/**
 * Protects audit entries with a trigger for each row, because the nodes of a distributed database do not fire triggers
 * for a statement. Only for `truncate`, there are no triggers for each row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function "keepAuditEntries"() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('plumbline.removes_audit_entries', true) = 'on' then return old; end if;
      raise exception 'Audit entries are only added to.' using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`drop trigger "auditEntries_append" on "auditEntries"`.execute(db)
  await sql`
    create trigger "auditEntries_append" before update or delete on "auditEntries"
    for each row execute function "keepAuditEntries"()`.execute(db)
  await sql`
    create trigger "auditEntries_truncate" before truncate on "auditEntries"
    for each statement execute function "keepAuditEntries"()`.execute(db)
}
