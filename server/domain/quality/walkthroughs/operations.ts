import type { Signature, Walkthrough, WalkthroughClosing } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch, assertVersionSeen } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { createSignature } from '../../../platform/values/signature.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as users from '../../office/users/queries.ts'
import { lockOpenHome } from '../punch-items/punch-home.ts'
import * as walkthroughs from './queries.ts'
import { formatWalkthroughList, isSignatureRequired, KIND_NAMES } from './walkthrough.ts'
import { createWalkthroughPdf } from './walkthrough-pdf.ts'

export const walkthroughOperations = {
  async listWalkthroughs({ query }, call) {
    return { status: 200, body: await walkthroughs.list(call, query) }
  },

  async createWalkthrough({ body }, call) {
    const walkthrough = await call.write(async (call) => {
      const home = await lockOpenHome(call, body.homeId, 'add a walkthrough')
      await assertUserExists(call, body.conductedById)
      const { timeZone } = await communities.find(call, home.communityId)
      const created = await walkthroughs.insert(call, {
        ...body,
        ...{ communityId: home.communityId, status: 'open', date: body.date ?? toLocalDate(timeZone, call.now) },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: walkthrough }
  },

  async getWalkthrough({ path }, call) {
    return { status: 200, body: await walkthroughs.find(call, path.walkthroughId) }
  },

  async updateWalkthrough({ path, body, ifMatch }, call) {
    const walkthrough = await call.write(async (call) => {
      const before = await walkthroughs.lock(call, path.walkthroughId)
      assertIfMatch(ifMatch, before)
      const { date, conductedById } = body
      if (before.status === 'closed' && (date !== undefined || conductedById !== undefined))
        throw conflict('wrong_status', `Cannot change the ${describe(before)}: it is closed.`)
      await assertUserExists(call, conductedById)
      return walkthroughs.update(call, before, body)
    })
    return { status: 200, body: walkthrough }
  },

  async closeWalkthrough({ path, body }, call) {
    const walkthrough = await call.write(async (call) => {
      // Adding an item locks its home. Lock the home here too, so that no item is added while the list is signed.
      const { homeId } = await walkthroughs.find(call, path.walkthroughId)
      const home = await homes.lock(call, homeId)
      const before = await walkthroughs.lock(call, path.walkthroughId)
      if (before.status === 'closed')
        throw conflict('already_done', `Cannot close the ${describe(before)}: it is already closed.`)
      assertVersionSeen(body.version, { number: `The ${describe(before)}`, version: before.version })
      const signature = await signList(call, before, home.name, body)
      const closedAt = call.now.toISOString()
      const after = await walkthroughs.update(call, before, { status: 'closed', signature, closedAt })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status })
      return after
    })
    return { status: 200, body: walkthrough }
  },

  async getWalkthroughPdf({ path }, call) {
    return { status: 200, body: await createWalkthroughPdf(call, path.walkthroughId) }
  },
} satisfies Partial<Handlers>

async function signList(
  call: WriteCall,
  walkthrough: Walkthrough,
  homeName: string,
  { signedBy, consent }: WalkthroughClosing,
): Promise<Signature | null> {
  if (signedBy === undefined) {
    if (!isSignatureRequired(walkthrough)) return null
    throw conflict(
      'signature_required',
      `Cannot close the ${describe(walkthrough)}: the buyer has not signed. Set signedBy and consent.`,
    )
  }
  if (consent !== true)
    throw validationFailed([{ pointer: '/consent', code: 'required', message: 'must be true if signedBy is set' }])
  const items = await walkthroughs.listWalkthroughItems(call, walkthrough.id)
  const text = formatWalkthroughList(walkthrough, homeName, items)
  return createSignature({ text, signedBy, signedAt: call.now.toISOString(), recordedBy: call.actor })
}

async function assertUserExists(call: WriteCall, userId: string | null | undefined): Promise<void> {
  if (userId == null) return
  const [found] = await users.findAll(call, [userId])
  if (found === undefined) throw unknownReference(['/conductedById'])
}

function describe({ kind }: Walkthrough): string {
  return KIND_NAMES[kind].toLowerCase()
}
