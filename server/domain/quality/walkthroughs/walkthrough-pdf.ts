import type { Call } from '../../../platform/calls/call.ts'
import type { FileResponse } from '../../../platform/calls/file-response.ts'
import * as homes from '../../land/homes/queries.ts'
import { createPdfResponse } from '../../paying/documents/pdf-response.ts'
import * as walkthroughs from './queries.ts'
import { formatWalkthroughList } from './walkthrough.ts'
import { walkthroughDrawing } from './walkthrough-document.ts'

/**
 * Returns the list of a walkthrough as a PDF, with the signature if the walkthrough is signed. Throws `not_found` if
 * the walkthrough does not exist.
 */
export async function createWalkthroughPdf(call: Call, id: string): Promise<FileResponse> {
  const walkthrough = await walkthroughs.find(call, id)
  const home = await homes.find(call, walkthrough.homeId)
  const { signature, updatedAt: changedAt } = walkthrough
  const text =
    signature?.text ?? formatWalkthroughList(walkthrough, home.name, await walkthroughs.listWalkthroughItems(call, id))
  const sheet = { builder: call.principal.organization.name, home: home.name, text, changedAt, signature }
  return createPdfResponse(call, `Walkthrough ${home.name}.pdf`, sheet, walkthroughDrawing)
}
