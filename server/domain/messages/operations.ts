import type { Message, MessageCreate } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { conflict, Problem, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { canSendMail } from '../office/mail/queue-mails.ts'
import { findRecipients } from './find-recipients.ts'
import { findMessageErrors, listParticipants, listRoleHolders, MAX_RECIPIENTS, SUBJECT_PERMISSIONS } from './message.ts'
import * as messages from './queries.ts'
import { updateReadMark } from './read-marks.ts'
import { sendMessage } from './send-message.ts'

export const messageOperations = {
  async listMessages({ query }, call) {
    return { status: 200, body: await messages.list(call, query) }
  },

  async sendMessage({ body }, call) {
    const errors = findMessageErrors(body)
    if (errors.length > 0) throw validationFailed(errors)
    const { channel, subject = null, relatedTo = null, inReplyToId = null } = body
    const permission = relatedTo === null ? null : SUBJECT_PERMISSIONS[relatedTo.type]
    if (permission !== null && !call.permissions.has(permission))
      throw new Problem('permission_denied', `Setting relatedTo requires ${permission}.`, { permission })
    const message = await call.write(async (call) => {
      if (relatedTo !== null && !(await messages.isExistingSubject(call, relatedTo)))
        throw unknownReference(['/relatedTo/id'])
      if (inReplyToId !== null) await messages.assertExist(call, [inReplyToId], '/inReplyToId')
      const inReplyTo = inReplyToId === null ? null : await messages.find(call, inReplyToId)
      const to = await resolveRecipients(call, body, inReplyTo)
      return sendMessage(call, { channel, subject, body: body.body, to, relatedTo, inReplyTo })
    })
    return { status: 201, body: message }
  },

  async getMessage({ path }, call) {
    return { status: 200, body: await messages.find(call, path.messageId) }
  },

  async setMessageReadState({ path, body }, call) {
    const message = await call.write(async (call) => {
      const recipientId = body.recipientId ?? (await findOwnUser(call))
      const before = await messages.lock(call, path.messageId)
      const isRecipient = before.recipients.some(({ type, id }) => type === 'user' && id === recipientId)
      if (!isRecipient && body.recipientId !== undefined) throw unknownReference(['/recipientId'])
      if (!isRecipient)
        throw conflict('wrong_caller', 'The user of this API key is not a recipient of the message. Set recipientId.')
      return updateReadMark(call, before, recipientId, body.isRead)
    })
    return { status: 200, body: message }
  },
} satisfies Partial<Handlers>

async function resolveRecipients(call: WriteCall, body: MessageCreate, inReplyTo: Message | null) {
  const { recipientRoles = [] } = body
  const isToAll = inReplyTo !== null && body.recipients === undefined && recipientRoles.length === 0
  const sender = inReplyTo === null ? null : await findSendingUser(call, inReplyTo.sender)
  const named =
    isToAll && sender !== null
      ? listParticipants({ ...inReplyTo, sender }, await findOwnUser(call))
      : (body.recipients ?? [])
  const { found, unknown } = await findRecipients(call, named)
  if (unknown.length > 0) throw unknownReference(unknown.map((i) => `/recipients/${i}/id`))
  const holders =
    recipientRoles.length === 0 ? [] : listRoleHolders(recipientRoles, await messages.listMessageUsers(call))
  const all = [...(isToAll ? found.filter(({ gone }) => gone === null) : found), ...holders]
  const to = all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)
  const lost = to.find(({ gone }) => gone !== null)
  if (lost !== undefined) throw conflict('user_disabled', `Cannot send the message: ${lost.name} is ${lost.gone}.`)
  const mute =
    body.channel === 'email' && canSendMail(call) ? to.find(({ addresses }) => addresses.length === 0) : undefined
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
  if (to.length > MAX_RECIPIENTS)
    throw conflict(
      'limit_reached',
      `A message can have at most ${MAX_RECIPIENTS} recipients, but this one has ${to.length}.`,
    )
  return to
}

/** Returns the user who sent a message. For a key, returns the user for whom the key acts. */
async function findSendingUser(call: WriteCall, sender: Message['sender']): Promise<Message['sender']> {
  return sender.type === 'key' && sender.id !== null
    ? { type: 'user', id: await messages.findKeyOwner(call, sender.id) }
    : sender
}

/** Returns the ID of the calling user. For a key, returns the ID of the user for whom the key acts. */
async function findOwnUser(call: Call): Promise<string> {
  const { kind, id } = call.principal
  return kind === 'key' ? messages.findKeyOwner(call, String(id)) : String(id)
}
