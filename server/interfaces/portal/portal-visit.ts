import type {
  AttachmentContent,
  PortalPhoto,
  PortalServiceVisit,
  PortalServiceVisitAnswer,
  PortalServiceVisitCompletion,
  PortalServiceVisitSummary,
  Visit,
} from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach-file.ts'
import { createDownload } from '../../domain/attachments/download-file.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import * as visits from '../../domain/quality/visits/queries.ts'
import { completeVisit, recordVisitResponse } from '../../domain/quality/visits/vendor-response.ts'
import * as requests from '../../domain/quality/warranty-requests/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { createListing } from '../../platform/resources/listing.ts'
import { describeStatus } from '../../platform/values/format.ts'
import { HOME_OF_RECORD_SQL, listPhotos } from './portal-punch-item.ts'
import * as portal from './queries.ts'

/** Lists the vendor's service visits. Vendors confirm or decline them, and report when the work is done. */
export const listServiceVisits = createListing<PortalServiceVisitSummary>({
  table: 'visits',
  columns: { id: 'id', status: 'enum', date: 'date', window: 'enum', home: { sql: HOME_OF_RECORD_SQL } },
})

export async function readVisit(call: Call, id: string): Promise<PortalServiceVisit> {
  return toPortalServiceVisit(call, await requireVisibleVisit(call, id))
}

export async function respondToServiceVisit(
  call: Call,
  id: string,
  answer: PortalServiceVisitAnswer,
): Promise<PortalServiceVisit> {
  return call.write(async (call) => {
    await requireVisibleVisit(call, id)
    return toPortalServiceVisit(call, await recordVisitResponse(call, await visits.lock(call, id), answer))
  })
}

export async function completeServiceVisit(
  call: Call,
  id: string,
  completion: PortalServiceVisitCompletion,
): Promise<PortalServiceVisit> {
  return call.write(async (call) => {
    await requireVisibleVisit(call, id)
    return toPortalServiceVisit(call, await completeVisit(call, await visits.lock(call, id), completion))
  })
}

/** The maximum number of photos. Without a limit, anyone with the link could fill the builder's storage. */
const MAX_PHOTOS = 20

export async function uploadVisitPhoto(
  call: Call,
  { visitId, fileName }: { visitId: string; fileName: string },
  file: AttachmentContent | ReceivedFile,
): Promise<PortalPhoto> {
  const visit = await requireVisibleVisit(call, visitId)
  if (!isOpen(visit))
    throw conflict('wrong_status', `Cannot add a photo: the visit is ${describeStatus(visit.status)}.`)
  const photo = { recordId: visit.id, fileName, kind: 'photo' as const, stage: 'after' as const }
  const { id, contentType, size, createdAt, ...created } = await attachFile(call, photo, file, { max: MAX_PHOTOS })
  return { id, fileName: created.fileName, contentType, size, stage: 'after', from: 'vendor', createdAt }
}

/** Returns a photo of the visit or of one of its requests. */
export async function openVisitPhoto(call: Call, visitId: string, attachmentId: string): Promise<FileResponse> {
  const visit = await requireVisibleVisit(call, visitId)
  const attachment = await attachments.find(call, attachmentId)
  if (!attachment.shared || ![visit.id, ...visit.requestIds].includes(attachment.recordId)) throw notFound()
  return createDownload(call, attachment)
}

async function toPortalServiceVisit(call: Call, visit: Visit): Promise<PortalServiceVisit> {
  const { id, status, date, window, notes, vendorNote, version } = visit
  const { timeZone: _, ...community } = await portal.findBuildingSite(call, visit.communityId)
  const [home] = await portal.findPortalHomes(call, [visit.homeId])
  if (home === undefined) throw notFound()
  const vendor = await vendors.find(call, String(call.principal.id))
  const found = await requests.findAll(call, visit.requestIds)
  const photos: PortalPhoto[] = []
  for (const recordId of [...visit.requestIds, visit.id]) photos.push(...(await listPhotos(call, recordId)))
  return {
    ...{ id, status, date, window, canAnswer: status === 'proposed', canComplete: isOpen(visit), notes, vendorNote },
    requests: found.map(({ number, location, scope, description, severity }) => ({
      ...{ number, location, scope, description, severity },
    })),
    ...{ photos: photos.slice(0, 100), version, builder: { name: call.principal.organization.name } },
    ...{ vendor: { id: vendor.id, companyName: vendor.companyName }, community, home },
  }
}

function isOpen({ status }: Visit): boolean {
  return status === 'proposed' || status === 'confirmed'
}

/** Returns the visit if the caller's token covers the whole portal of its vendor; otherwise throws `not_found`. */
async function requireVisibleVisit(call: Call, id: string): Promise<Visit> {
  const { principal } = call
  const visit = await visits.findOptional(call, id)
  if (visit === undefined || principal.subjectId !== principal.id || visit.vendorId !== principal.id) throw notFound()
  return visit
}
