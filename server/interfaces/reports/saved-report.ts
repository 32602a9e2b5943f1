import type { ReportSchedule, SavedReport } from '../../../client/contract.gen.ts'
import type { Call, ContractReader, Services } from '../../platform/calls/call.ts'
import { requireSignedIn } from '../../platform/keys/principals.ts'
import { getRolePermissions, type Role } from '../../platform/keys/roles.ts'
import { notFound, problem, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { getSkillCatalog, type Skill } from '../skills/skill-catalog.ts'
import { findRecipients, type Recipient } from './queries.ts'

/** Returns the report with this name. Every read-only composite skill is a report. */
export function findReport(services: Pick<Services, 'contract'>, name: string): Skill | undefined {
  return getSkillCatalog(services.contract).skills.find((skill) => skill.name === name && isReport(skill))
}

function isReport({ kind, writes }: Skill): boolean {
  return kind === 'composite' && !writes
}

/** Returns the names of the reports that the caller may run. */
export function listReadableReports(call: ContractReader & Pick<Call, 'services'>): string[] {
  return getSkillCatalog(call.services.contract)
    .skills.filter(
      (skill) => isReport(skill) && skill.permissions.every((permission) => call.permissions.has(permission)),
    )
    .map(({ name }) => name)
}

/** Returns the report with this name. Throws `validation_failed` if there is none. */
export function requireReport(call: Pick<Call, 'services'>, name: string): Skill {
  const report = findReport(call.services, name)
  if (report !== undefined) return report
  const message = 'must be the name of a read-only composite skill'
  throw validationFailed([{ pointer: '/report', code: 'unknown_report', message }])
}

/** Throws `not_found` unless the caller can see the saved report and may run its report. */
export function assertReportVisible(call: Call, saved: SavedReport): void {
  if (saved.archivedAt !== null && saved.ownerId !== call.principal.id) throw notFound()
  if (saved.ownerId !== call.principal.id && !saved.isShared) throw notFound()
  if (!listReadableReports(call).includes(saved.report)) throw notFound()
}

/** Throws `permission_denied` if another user saved the report. */
export function assertReportOwner(call: Call, saved: SavedReport): void {
  if (saved.ownerId === call.principal.id) return
  throw problem('permission_denied', `Only the user who saved "${saved.name}" can change it.`)
}

/**
 * Returns whether the caller may delete the saved report, and therefore read it. The user who saved the report may do
 * so even if the user's role no longer allows the report. Owners and admins may delete any saved report, so that they
 * can stop the weekly email of a user who has left.
 */
export async function canDeleteReport(call: Call, saved: SavedReport): Promise<boolean> {
  if (saved.ownerId === call.principal.id) return true
  const [caller] = await findRecipients(call, [requireSignedIn(call).id])
  return saved.archivedAt === null && (caller?.role === 'owner' || caller?.role === 'admin')
}

/** Throws `not_found` or `permission_denied` unless the caller may delete the saved report. */
export async function assertCanDeleteReport(call: Call, saved: SavedReport): Promise<void> {
  if (await canDeleteReport(call, saved)) return
  assertReportVisible(call, saved)
  throw problem('permission_denied', `Only the user who saved "${saved.name}", an owner, or an admin can delete it.`)
}

/** Returns whether a user is active and has all permissions of a report. */
export function canReadReport({ permissions }: Skill, { status, role }: Recipient): boolean {
  if (status === 'disabled') return false
  const held = getRolePermissions(role as Role)
  return permissions.every((permission) => held.has(permission))
}

/**
 * Throws if a recipient does not exist or may not read the report. The error points to the recipient's position in the
 * list.
 */
export async function assertRecipientsCanRead(call: Call, report: Skill, schedule: ReportSchedule): Promise<void> {
  const found = new Map((await findRecipients(call, schedule.userIds)).map((user) => [user.id, user]))
  const unknown = schedule.userIds.flatMap((id, i) => (found.has(id) ? [] : [`/schedule/userIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const errors = schedule.userIds.flatMap((id, i) => {
    const user = found.get(id)
    if (user === undefined || canReadReport(report, user)) return []
    const message = 'must be an active user whose role allows the report'
    return [{ pointer: `/schedule/userIds/${i}`, code: 'not_allowed', message }]
  })
  if (errors.length > 0) throw validationFailed(errors)
}
