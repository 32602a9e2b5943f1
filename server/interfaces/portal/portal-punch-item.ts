import { sql } from 'kysely'
import type {
  AttachmentContent,
  PortalPhoto,
  PortalPunchAnswer,
  PortalPunchItem,
  PortalPunchItemSummary,
  PunchItem,
} from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach-file.ts'
import { createDownload } from '../../domain/attachments/download-file.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import { lockPunchItem } from '../../domain/quality/punch-items/change-punch-item.ts'
import * as punchItems from '../../domain/quality/punch-items/queries.ts'
import { recordPunchItemResponse } from '../../domain/quality/punch-items/record-punch-item-response.ts'
import { findSpanishScope, toSpanishScopeSql } from '../../domain/vendors/scopes/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call, Tenant } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { createListing } from '../../platform/resources/listing.ts'
import { describeStatus } from '../../platform/values/format.ts'
import * as portal from './queries.ts'

/** Vendors read the punch items that are assigned to them, respond to them, and upload photos of their work. */

/** The statuses of an item that the assigned vendor can see. */
const SHOWN_STATUSES = ['assigned', 'fixed', 'verified'] as const

/** SQL that returns the home of a record `t`. */
export const HOME_OF_RECORD_SQL = `
  select json_build_object('name', h."name", 'community', c."name")
  from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
  where h."organizationId" = t."organizationId" and h."id" = t."homeId"`

export const listPunchItems = createListing<PortalPunchItemSummary>({
  table: 'punchItems',
  columns: {
    ...{ id: 'id', number: 'text', status: 'enum', priority: 'enum', location: 'text?', scope: 'text?' },
    spanishScope: { sql: toSpanishScopeSql('t."scope"') },
    ...{ description: 'text', dueDate: 'date?', plannedDate: 'date?', reopenedCount: 'integer' },
    home: { sql: HOME_OF_RECORD_SQL },
  },
  where: `t."status" in ('assigned', 'fixed', 'verified')`,
})

export async function readPunchItem(call: Call, id: string): Promise<PortalPunchItem> {
  return toPortalPunchItem(call, await requireVisibleItem(call, id))
}

export async function respondToPunchItem(call: Call, id: string, answer: PortalPunchAnswer): Promise<PortalPunchItem> {
  return call.write(async (call) => {
    await requireVisibleItem(call, id)
    const before = await lockPunchItem(call, id)
    requireShown(call, before)
    return toPortalPunchItem(call, await recordPunchItemResponse(call, before, answer))
  })
}

/**
 * The maximum number of photos. A vendor shows its work in a few photos. Without a limit, anyone with the link could
 * fill the builder's storage.
 */
const MAX_PHOTOS = 20

export async function uploadPunchPhoto(
  call: Call,
  { punchItemId, fileName }: { punchItemId: string; fileName: string },
  file: AttachmentContent | ReceivedFile,
): Promise<PortalPhoto> {
  const item = await requireVisibleItem(call, punchItemId)
  if (item.status !== 'assigned')
    throw conflict('wrong_status', `Cannot add a photo to ${item.number}: it is ${describeStatus(item.status)}.`)
  const photo = { recordId: item.id, fileName, kind: 'photo' as const, stage: 'after' as const }
  const { id, contentType, size, createdAt, ...created } = await attachFile(call, photo, file, { max: MAX_PHOTOS })
  return { id, fileName: created.fileName, contentType, size, stage: 'after', from: 'vendor', createdAt }
}

export async function openPunchPhoto(call: Call, punchItemId: string, attachmentId: string): Promise<FileResponse> {
  await requireVisibleItem(call, punchItemId)
  const attachment = await attachments.find(call, attachmentId)
  if (!attachment.shared || attachment.recordId !== punchItemId) throw notFound()
  return createDownload(call, attachment)
}

/** Returns the shared files of a record, oldest first. */
export async function listPhotos({ db, organizationId }: Tenant, recordId: string): Promise<PortalPhoto[]> {
  const { rows } = await sql<PortalPhoto>`
    select "id", "fileName", "contentType", "size", "stage",
      case when "createdBy"->>'type' = 'vendor' then 'vendor' else 'builder' end as "from", "createdAt"
    from "attachments"
    where "organizationId" = ${organizationId} and "recordId" = ${recordId} and "archivedAt" is null
      and "shared" is not false
    order by "id" limit 100`.execute(db)
  return rows
}

async function toPortalPunchItem(call: Call, item: PunchItem): Promise<PortalPunchItem> {
  const { id, number, status, priority, location, scope, description, dueDate, plannedDate } = item
  const { timeZone: _, ...community } = await portal.findBuildingSite(call, item.communityId)
  const [home] = await portal.findPortalHomes(call, [item.homeId])
  if (home === undefined) throw notFound()
  const vendor = await vendors.find(call, String(call.principal.id))
  const isOwn = item.vendorId === call.principal.id
  const { reopenedCount, version } = item
  return {
    ...{ id, number, status: toShownStatus(status), priority, location, scope },
    spanishScope: await findSpanishScope(call, scope),
    ...{ description, dueDate, plannedDate },
    ...{ reopenedCount, canAnswer: isOwn && status === 'assigned' },
    reopenReason: reopenedCount > 0 && status === 'assigned' ? await punchItems.findReopenReason(call, id) : null,
    ...{ photos: await listPhotos(call, id), version, builder: { name: call.principal.organization.name } },
    ...{ vendor: { id: vendor.id, companyName: vendor.companyName }, community, home },
  }
}

/**
 * Returns the status that the vendor sees. A disputed item becomes open and disappears from the vendor's list. The
 * response to the dispute still shows it, with the status `assigned`.
 */
function toShownStatus(status: PunchItem['status']): PortalPunchItem['status'] {
  return SHOWN_STATUSES.find((shown) => shown === status) ?? 'assigned'
}

/**
 * Returns the item if the caller's token covers the whole portal of the vendor to which the item is assigned.
 * Otherwise, throws `not_found`.
 */
async function requireVisibleItem(call: Call, id: string): Promise<PunchItem> {
  const item = await punchItems.findOptional(call, id)
  if (item === undefined) throw notFound()
  return requireShown(call, item)
}

function requireShown({ principal }: Call, item: PunchItem): PunchItem {
  const isShown = SHOWN_STATUSES.some((status) => status === item.status)
  if (principal.subjectId !== principal.id || item.vendorId !== principal.id || !isShown) throw notFound()
  return item
}
