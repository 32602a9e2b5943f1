import type { Call } from '../../../platform/calls/call.ts'
import type { FileResponse } from '../../../platform/calls/file-response.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { createPdfResponse } from '../../paying/documents/pdf-response.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { dailyLogDrawing } from './daily-log-document.ts'
import * as logs from './queries.ts'

/** Returns the document of a daily log as a PDF. Throws `not_found` if the log does not exist. */
export async function createDailyLogPdf(call: Call, id: string): Promise<FileResponse> {
  const log = await logs.find(call, id)
  const home = await homes.find(call, log.homeId)
  const community = await communities.find(call, log.communityId)
  const ids = [...log.crews, ...log.deliveries].flatMap(({ vendorId }) => vendorId ?? [])
  const named = ids.length === 0 ? [] : await vendors.findAll(call, [...new Set(ids)])
  const sheet = {
    ...{ log, builder: call.principal.organization, homeName: home.name },
    ...{ communityName: community.name, timeZone: community.timeZone },
    vendorNames: Object.fromEntries(named.map((vendor) => [vendor.id, vendor.companyName])),
  }
  return createPdfResponse(call, `Daily log ${log.logDate}.pdf`, sheet, dailyLogDrawing)
}
