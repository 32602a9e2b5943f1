import type { Message, MessageCreate } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { conflict, invalid, Problem, unknownReference } from '../../platform/problems/problem.ts'
import { sendsMail } from '../office/mail/queue.ts'
import { faultsOf, holdersOf, MOST_RECIPIENTS, partakersOf, SUBJECT_PERMISSIONS } from './message.ts'
import * as messages from './queries.ts'
import { markRead } from './read-marks.ts'
import { reach } from './recipients.ts'
import { send } from './send.ts'

export const messageOperations = {
  async listMessages({ query }, call) {
    return { status: 200, body: await messages.list(call, query) }
  },

  async sendMessage({ body }, call) {
    const faults = faultsOf(body)
    if (faults.length > 0) throw invalid(faults)
    const { channel, subject = null, relatedTo = null, inReplyToId = null } = body
    const permission = relatedTo === null ? null : SUBJECT_PERMISSIONS[relatedTo.type]
    if (permission !== null && !call.permissions.has(permission))
      throw new Problem('permission_denied', `Setting relatedTo requires ${permission}.`, { permission })
    const message = await call.write(async (call) => {
      if (relatedTo !== null && !(await messages.hasSubject(call, relatedTo))) throw unknownReference(['/relatedTo/id'])
      if (inReplyToId !== null) await messages.assertExist(call, [inReplyToId], '/inReplyToId')
      const inReplyTo = inReplyToId === null ? null : await messages.find(call, inReplyToId)
      const to = await addressed(call, body, inReplyTo)
      return send(call, { channel, subject, body: body.body, to, relatedTo, inReplyTo })
    })
    return { status: 201, body: message }
  },

  async getMessage({ path }, call) {
    return { status: 200, body: await messages.find(call, path.messageId) }
  },

  async setMessageReadState({ path, body }, call) {
    const message = await call.write(async (call) => {
      const recipientId = body.recipientId ?? (await ownUser(call))
      const before = await messages.lock(call, path.messageId)
      const isRecipient = before.recipients.some(({ type, id }) => type === 'user' && id === recipientId)
      if (!isRecipient && body.recipientId !== undefined) throw unknownReference(['/recipientId'])
      if (!isRecipient)
        throw conflict('wrong_caller', 'The user of this API key is not a recipient of the message. Set recipientId.')
      return markRead(call, before, recipientId, body.isRead)
    })
    return { status: 200, body: message }
  },
} satisfies Partial<Handlers>

async function addressed(call: WriteCall, body: MessageCreate, inReplyTo: Message | null) {
  const { recipientRoles = [] } = body
  const isToAll = inReplyTo !== null && body.recipients === undefined && recipientRoles.length === 0
  const named = isToAll ? partakersOf(inReplyTo, await ownUser(call)) : (body.recipients ?? [])
  const { found, unknown } = await reach(call, named)
  if (unknown.length > 0) throw unknownReference(unknown.map((i) => `/recipients/${i}/id`))
  const holders = recipientRoles.length === 0 ? [] : holdersOf(recipientRoles, await messages.people(call))
  const all = [...(isToAll ? found.filter(({ gone }) => gone === null) : found), ...holders]
  const to = all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)
  const lost = to.find(({ gone }) => gone !== null)
  if (lost !== undefined) throw conflict('user_disabled', `Cannot send the message: ${lost.name} is ${lost.gone}.`)
  const mute =
    body.channel === 'email' && sendsMail(call) ? to.find(({ addresses }) => addresses.length === 0) : undefined
  if (mute !== undefined)
    throw conflict(
      'no_recipient',
      `${mute.name} has no email address. Add one to the vendor or to a contact that receives notifications.`,
    )
  if (to.length === 0)
    throw conflict(
      'no_recipient',
      isToAll
        ? 'The message has no other participants to reply to. Set recipients.'
        : 'No active user has any of these roles. Set recipients or other recipientRoles.',
    )
  if (to.length > MOST_RECIPIENTS)
    throw conflict(
      'limit_reached',
      `A message can have at most ${MOST_RECIPIENTS} recipients, but this one has ${to.length}.`,
    )
  return to
}

/** Returns the ID of the calling user, or of the user that the key acts for. */
async function ownUser(call: Call): Promise<string> {
  const { kind, id } = call.principal
  return kind === 'key' ? messages.ownerOfKey(call, String(id)) : String(id)
}
