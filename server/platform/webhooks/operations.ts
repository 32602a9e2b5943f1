import { typeid } from 'typeid-js'
import type { Delivery, DeliveryWithAttempts, Webhook } from '../../../client/contract.gen.ts'
import { type Call, noteChange, type WriteCall } from '../calls/call.ts'
import type { Handlers, Input } from '../calls/operation.ts'
import { vault } from '../encryption/vault.ts'
import { exampleOf } from '../events/event-types.ts'
import { readableTypes } from '../events/readable.ts'
import { refuseBrowserToken } from '../keys/browser-token.ts'
import { conflict, invalid, notFound } from '../problems/problem.ts'
import { admitChange, admitNew } from './admission.ts'
import { faultOf } from './destination.ts'
import * as webhooks from './queries.ts'
import { newSecret, placeOf } from './secret.ts'
import { assertMayTakeOver } from './takeover.ts'
import { MOST_RECOVERED, switched, withoutEndedSecret } from './webhook.ts'

export const webhookOperations = {
  async listWebhooks({ query }, call) {
    const { data, nextCursor } = (await webhooks.list(call, query)).value
    return { status: 200, body: { data: data.map((webhook) => withoutEndedSecret(webhook, call.now)), nextCursor } }
  },

  async createWebhook({ body }, call) {
    refuseBrowserToken(call)
    checkUrl(call, body.url)
    const { secret = newSecret(), allowDuplicate: _, ...wanted } = body
    const webhook = await call.write(async (call) => {
      await admitNew(call, body)
      const created = await webhooks.insert(call, {
        ...wanted,
        status: 'active',
        consecutiveFailures: 0,
        owner: call.actor,
      })
      await webhooks.setSecrets(call, created.id, {
        secret: seal(call, created.id, secret),
        previousSecret: null,
      })
      await webhooks.bindToToken(call, created.id)
      return created
    })
    return { status: 201, body: { ...webhook, secret } }
  },

  async getWebhook({ path }, call) {
    return { status: 200, body: withoutEndedSecret(await webhooks.find(call, path.webhookId), call.now) }
  },

  async updateWebhook({ path, body, ifMatch }, call) {
    const { url, status, allowDuplicate: _, ...rest } = body
    if (url !== undefined) checkUrl(call, url)
    const webhook = await call.write(async (call) => {
      const before = await lockInUse(call, path.webhookId)
      const isTakenOver = !isOnlySwitchedOff(body)
      if (isTakenOver) {
        assertMayTakeOver(call, before)
        await admitChange(call, before, body)
        await webhooks.bindToToken(call, before.id)
      }
      const isElsewhere = url !== undefined && url !== before.url
      // Activating an active subscription is how a client says that the receiver has been repaired.
      const isSwitched = status !== undefined && (status !== before.status || status === 'active')
      if (isElsewhere || isSwitched) wakeAfterCommit(call, before.id)
      const changes = {
        ...rest,
        ...(isElsewhere && { url, consecutiveFailures: 0, pausedUntil: null }),
        ...(isSwitched && switched(status, call.now)),
        ...(isTakenOver && { owner: call.actor }),
      }
      return webhooks.update(call, before, changes, ifMatch)
    })
    return { status: 200, body: withoutEndedSecret(webhook, call.now) }
  },

  async deleteWebhook({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await webhooks.lock(call, path.webhookId)
      await webhooks.archive(call, before, ifMatch)
      await webhooks.setSecrets(call, before.id, { secret: null, previousSecret: null })
    })
    return { status: 204 }
  },

  async listDeliveries({ path, query }, call) {
    const webhook = await webhooks.find(call, path.webhookId)
    return { status: 200, body: await webhooks.listDeliveries(call, webhook, query, readableTypes(call)) }
  },

  async testWebhook({ path, body }, call) {
    const delivery = await call.write(async (call) => {
      const webhook = await lockInUse(call, path.webhookId)
      const id = typeid('dlv').toString()
      const { eventType } = body
      const event = {
        ...exampleOf(call.surroundings.contract, eventType),
        id: typeid('evt').toString(),
        timestamp: call.now.toISOString(),
        apiVersion: call.surroundings.contract.version,
        organizationId: call.organizationId,
        actor: call.actor,
      }
      const payload = JSON.stringify(event)
      const test = { id, webhookId: webhook.id, eventId: event.id, eventType, payload, now: call.now }
      await webhooks.insertTest(call, test)
      noteChange(call, webhook.id, 'tested')
      wakeAfterCommit(call, webhook.id)
      return findDelivery(call, id)
    })
    return { status: 202, body: delivery }
  },

  async rotateWebhookSecret({ path, body }, call) {
    const { secret = newSecret(), overlapHours } = body
    const webhook = await call.write(async (call) => {
      const before = await lockInUse(call, path.webhookId)
      assertMayTakeOver(call, before)
      const old = await webhooks.sealedSecret(call, before.id)
      const overlapEnds = new Date(call.now.getTime() + overlapHours * 3_600_000).toISOString()
      await webhooks.setSecrets(call, before.id, {
        secret: seal(call, before.id, secret),
        previousSecret: overlapHours > 0 ? old : null,
      })
      noteChange(call, before.id, 'secret_rotated')
      return webhooks.update(call, before, { previousSecretExpiresAt: overlapHours > 0 ? overlapEnds : null })
    })
    return { status: 200, body: { ...webhook, secret } }
  },

  async recoverWebhook({ path, body }, call) {
    const { since, until = call.now.toISOString() } = body
    if (Date.parse(since) >= Date.parse(until)) {
      throw invalid([{ pointer: '/since', code: 'order', message: 'must be before until' }])
    }
    const queued = await call.write(async (call) => {
      const webhook = await lockInUse(call, path.webhookId)
      refuseWhileDisabled(webhook)
      await webhooks.endPause(call, webhook.id, call.now)
      wakeAfterCommit(call, webhook.id)
      noteChange(call, webhook.id, 'recovered')
      const period = { since, until, now: call.now, most: MOST_RECOVERED }
      return webhooks.recover(call, webhook.id, period)
    })
    const period = { since: instant(since), until: instant(until) }
    return { status: 202, body: { webhookId: path.webhookId, ...period, queued, more: queued === MOST_RECOVERED } }
  },

  async getDelivery({ path }, call) {
    const delivery = await findDelivery(call, path.deliveryId)
    const attempts = await webhooks.attemptsOf(call, delivery.id)
    return { status: 200, body: { ...delivery, attempts } satisfies DeliveryWithAttempts }
  },

  async redeliver({ path }, call) {
    const delivery = await call.write(async (call) => {
      const { webhookId } = await findDelivery(call, path.deliveryId)
      // The subscription is locked first, as everywhere, so that transactions cannot deadlock.
      const webhook = await lockInUse(call, webhookId)
      const row = await webhooks.lockDelivery(call, path.deliveryId)
      if (row === undefined) throw notFound()
      if (!row.test) refuseWhileDisabled(webhook)
      if (row.isUnderWay)
        throw conflict(
          'under_way',
          'Cannot send the delivery again: an attempt is in progress. Try again when it has ended.',
        )
      await webhooks.endPause(call, webhookId, call.now)
      await webhooks.sendAgain(call, path.deliveryId, call.now)
      wakeAfterCommit(call, webhookId)
      noteChange(call, path.deliveryId, 'sent_again')
      return findDelivery(call, path.deliveryId)
    })
    return { status: 202, body: delivery }
  },
} satisfies Partial<Handlers>

// Otherwise it would be found only by the check that runs once a second.
function wakeAfterCommit(call: WriteCall, webhookId: string): void {
  const { organizationId, surroundings } = call
  call.afterCommit(() => surroundings.deliveriesDue({ organizationId, webhookId }))
}

// A caller that changes what a subscription sends, or where, becomes its owner. A caller that only disables it does
// not.
function isOnlySwitchedOff({ status, ...rest }: Input<'updateWebhook'>['body']): boolean {
  return status === 'disabled' && Object.keys(rest).length === 0
}

function checkUrl(call: Call, url: string): void {
  const fault = faultOf(url, call.surroundings.config.webhookAllowPrivate)
  if (fault !== null) throw invalid([{ pointer: '/url', code: 'destination', message: fault }])
}

async function lockInUse(call: WriteCall, id: string): Promise<Webhook> {
  const webhook = await webhooks.lock(call, id)
  if (webhook.archivedAt !== null) throw conflict('archived', 'The subscription was deleted. Create a new one.')
  return webhook
}

function refuseWhileDisabled(webhook: Webhook): void {
  if (webhook.status === 'disabled')
    throw conflict(
      'subscription_disabled',
      'Cannot send deliveries: the subscription is disabled. Set its status to active first.',
    )
}

async function findDelivery(call: Call, id: string): Promise<Delivery> {
  const delivery = await webhooks.findDelivery(call, id, readableTypes(call))
  if (delivery === undefined) throw notFound()
  return delivery
}

function seal(call: Call, webhookId: string, secret: string): string {
  return vault(call.surroundings.config.encryptionKey).seal(secret, placeOf(call.organizationId, webhookId))
}

function instant(text: string): string {
  return new Date(text).toISOString()
}
