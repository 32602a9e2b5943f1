import type { MessageCreate } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../http/call.ts'
import type { Handlers } from '../../http/operation.ts'
import { invalid, problem, unknownReference } from '../../http/problem.ts'
import { faultsOf, MOST_RECIPIENTS, type Person, recipientsOf } from './message.ts'
import * as messages from './queries.ts'
import { send } from './send.ts'

export const messageOperations = {
  async listMessages({ query }, call) {
    return { status: 200, body: await messages.list(call, query) }
  },

  async sendMessage({ body }, call) {
    const faults = faultsOf(body)
    if (faults.length > 0) throw invalid(faults)
    const { subject = null, relatedTo = null, inReplyToId = null } = body
    const message = await call.write(async (call) => {
      const to = await addressed(call, body)
      if (relatedTo !== null && !(await messages.hasSubject(call, relatedTo))) throw unknownReference(['/relatedTo/id'])
      if (inReplyToId !== null) await messages.assertExist(call, [inReplyToId], '/inReplyToId')
      const inReplyTo = inReplyToId === null ? null : await messages.find(call, inReplyToId)
      return send(call, { subject, body: body.body, to, relatedTo, inReplyTo })
    })
    return { status: 201, body: message }
  },

  async getMessage({ path }, call) {
    return { status: 200, body: await messages.find(call, path.messageId) }
  },
} satisfies Partial<Handlers>

async function addressed(call: WriteCall, body: MessageCreate): Promise<Person[]> {
  const people = await messages.people(call)
  const unknown = (body.recipients ?? []).flatMap(({ id }, i) =>
    people.some((person) => person.id === id) ? [] : [`/recipients/${i}/id`],
  )
  if (unknown.length > 0) throw unknownReference(unknown)
  const to = recipientsOf(body, people)
  const gone = to.find(({ status }) => status === 'disabled')
  if (gone !== undefined) throw problem('conflict', `${gone.name} is disabled and receives no messages.`)
  if (to.length === 0) throw problem('conflict', 'Nobody has any of these roles.')
  if (to.length > MOST_RECIPIENTS)
    throw problem('conflict', `A message can go to ${MOST_RECIPIENTS} people at most, not to ${to.length}.`)
  return to
}
