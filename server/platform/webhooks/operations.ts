import { typeid } from 'typeid-js'
import type { Delivery, DeliveryWithAttempts, Webhook } from '../../../client/contract.gen.ts'
import { type Call, recordChange, type WriteCall } from '../calls/call.ts'
import type { Handlers, Input } from '../calls/operation.ts'
import { createVault } from '../encryption/vault.ts'
import { findExamplePayload } from '../events/event-types.ts'
import { listReadableEventTypes } from '../events/readable-events.ts'
import { assertNotBrowserToken } from '../keys/browser-token.ts'
import { conflict, notFound, validationFailed } from '../problems/problem.ts'
import { assertCanChangeWebhook, assertCanCreateWebhook } from './admission.ts'
import { findDestinationError } from './destination.ts'
import * as webhooks from './queries.ts'
import { assertCanManageWebhook } from './takeover.ts'
import { MAX_RECOVERED, omitEndedSecret, planStatusSwitch } from './webhook.ts'
import { createWebhookSecret, getSecretEncryptionContext } from './webhook-secret.ts'

export const webhookOperations = {
  async listWebhooks({ query }, call) {
    const { data, nextCursor } = (await webhooks.list(call, query)).value
    return { status: 200, body: { data: data.map((webhook) => omitEndedSecret(webhook, call.now)), nextCursor } }
  },

  async createWebhook({ body }, call) {
    assertNotBrowserToken(call)
    assertUrlAllowed(call, body.url)
    const { secret = createWebhookSecret(), allowDuplicate: _, ...wanted } = body
    const webhook = await call.write(async (call) => {
      await assertCanCreateWebhook(call, body)
      const created = await webhooks.insert(call, {
        ...wanted,
        status: 'active',
        consecutiveFailures: 0,
        owner: call.actor,
      })
      await webhooks.storeWebhookSecrets(call, created.id, {
        secret: sealSecret(call, created.id, secret),
        previousSecret: null,
      })
      await webhooks.storeTokenPermissions(call, created.id)
      return created
    })
    return { status: 201, body: { ...webhook, secret } }
  },

  async getWebhook({ path }, call) {
    return { status: 200, body: omitEndedSecret(await webhooks.find(call, path.webhookId), call.now) }
  },

  async updateWebhook({ path, body, ifMatch }, call) {
    const { url, status, allowDuplicate: _, ...rest } = body
    if (url !== undefined) assertUrlAllowed(call, url)
    const webhook = await call.write(async (call) => {
      const before = await lockUnarchived(call, path.webhookId)
      const isTakenOver = !isOnlyDisabling(body)
      if (isTakenOver) {
        assertCanManageWebhook(call, before)
        await assertCanChangeWebhook(call, before, body)
        await webhooks.storeTokenPermissions(call, before.id)
      }
      const isElsewhere = url !== undefined && url !== before.url
      // Activating an active subscription means that the receiver has been fixed.
      const isSwitched = status !== undefined && (status !== before.status || status === 'active')
      if (isElsewhere || isSwitched) wakeAfterCommit(call, before.id)
      const changes = {
        ...rest,
        ...(isElsewhere && { url, consecutiveFailures: 0, pausedUntil: null }),
        ...(isSwitched && planStatusSwitch(status, call.now)),
        ...(isTakenOver && { owner: call.actor }),
      }
      return webhooks.update(call, before, changes, ifMatch)
    })
    return { status: 200, body: omitEndedSecret(webhook, call.now) }
  },

  async deleteWebhook({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await webhooks.lock(call, path.webhookId)
      await webhooks.archive(call, before, ifMatch)
      await webhooks.storeWebhookSecrets(call, before.id, { secret: null, previousSecret: null })
    })
    return { status: 204 }
  },

  async listDeliveries({ path, query }, call) {
    const webhook = await webhooks.find(call, path.webhookId)
    return { status: 200, body: await webhooks.listDeliveries(call, webhook, query, listReadableEventTypes(call)) }
  },

  async testWebhook({ path, body }, call) {
    const delivery = await call.write(async (call) => {
      const webhook = await lockUnarchived(call, path.webhookId)
      const id = typeid('dlv').toString()
      const { eventType } = body
      const event = {
        ...findExamplePayload(call.services.contract, eventType),
        id: typeid('evt').toString(),
        timestamp: call.now.toISOString(),
        apiVersion: call.services.contract.version,
        organizationId: call.organizationId,
        actor: call.actor,
      }
      const payload = JSON.stringify(event)
      const test = { id, webhookId: webhook.id, eventId: event.id, eventType, payload, now: call.now }
      await webhooks.insertTestDelivery(call, test)
      recordChange(call, webhook.id, 'tested')
      wakeAfterCommit(call, webhook.id)
      return findDelivery(call, id)
    })
    return { status: 202, body: delivery }
  },

  async rotateWebhookSecret({ path, body }, call) {
    const { secret = createWebhookSecret(), overlapHours } = body
    const webhook = await call.write(async (call) => {
      const before = await lockUnarchived(call, path.webhookId)
      assertCanManageWebhook(call, before)
      const old = await webhooks.findSealedSecret(call, before.id)
      const overlapEnds = new Date(call.now.getTime() + overlapHours * 3_600_000).toISOString()
      await webhooks.storeWebhookSecrets(call, before.id, {
        secret: sealSecret(call, before.id, secret),
        previousSecret: overlapHours > 0 ? old : null,
      })
      recordChange(call, before.id, 'secret_rotated')
      return webhooks.update(call, before, { previousSecretExpiresAt: overlapHours > 0 ? overlapEnds : null })
    })
    return { status: 200, body: { ...webhook, secret } }
  },

  async recoverWebhook({ path, body }, call) {
    const { since, until = call.now.toISOString() } = body
    if (Date.parse(since) >= Date.parse(until)) {
      throw validationFailed([{ pointer: '/since', code: 'order', message: 'must be before until' }])
    }
    const queued = await call.write(async (call) => {
      const webhook = await lockUnarchived(call, path.webhookId)
      assertNotDisabled(webhook)
      await webhooks.endPause(call, webhook.id, call.now)
      wakeAfterCommit(call, webhook.id)
      recordChange(call, webhook.id, 'recovered')
      const period = { since, until, now: call.now, most: MAX_RECOVERED }
      return webhooks.recoverMissedDeliveries(call, webhook.id, period)
    })
    const period = { since: toTimestamp(since), until: toTimestamp(until) }
    return { status: 202, body: { webhookId: path.webhookId, ...period, queued, more: queued === MAX_RECOVERED } }
  },

  async getDelivery({ path }, call) {
    const delivery = await findDelivery(call, path.deliveryId)
    const attempts = await webhooks.listAttempts(call, delivery.id)
    return { status: 200, body: { ...delivery, attempts } satisfies DeliveryWithAttempts }
  },

  async redeliverEvent({ path }, call) {
    const delivery = await call.write(async (call) => {
      const { webhookId } = await findDelivery(call, path.deliveryId)
      // Lock the subscription first, as all transactions do, so that they cannot deadlock.
      const webhook = await lockUnarchived(call, webhookId)
      const row = await webhooks.lockDelivery(call, path.deliveryId)
      if (row === undefined) throw notFound()
      if (!row.test) assertNotDisabled(webhook)
      if (row.isUnderWay)
        throw conflict(
          'under_way',
          'Cannot send the delivery again: an attempt is in progress. Try again when it has ended.',
        )
      await webhooks.endPause(call, webhookId, call.now)
      await webhooks.makeDeliveryDue(call, path.deliveryId, call.now)
      wakeAfterCommit(call, webhookId)
      recordChange(call, path.deliveryId, 'sent_again')
      return findDelivery(call, path.deliveryId)
    })
    return { status: 202, body: delivery }
  },
} satisfies Partial<Handlers>

// Announces the delivery after the commit. Otherwise, only the check that runs every second would find it.
function wakeAfterCommit(call: WriteCall, webhookId: string): void {
  const { organizationId, services } = call
  call.afterCommit(() => services.deliveriesDue({ organizationId, webhookId }))
}

// Returns whether the update only disables the subscription. All other updates make the caller the owner of the
// subscription.
function isOnlyDisabling({ status, ...rest }: Input<'updateWebhook'>['body']): boolean {
  return status === 'disabled' && Object.keys(rest).length === 0
}

function assertUrlAllowed(call: Call, url: string): void {
  const fault = findDestinationError(url, call.services.config.webhookAllowPrivate)
  if (fault !== null) throw validationFailed([{ pointer: '/url', code: 'destination', message: fault }])
}

async function lockUnarchived(call: WriteCall, id: string): Promise<Webhook> {
  const webhook = await webhooks.lock(call, id)
  if (webhook.archivedAt !== null)
    throw conflict('archived', 'Cannot use the subscription: it was deleted. Create a new subscription.')
  return webhook
}

function assertNotDisabled(webhook: Webhook): void {
  if (webhook.status === 'disabled')
    throw conflict(
      'subscription_disabled',
      'Cannot send deliveries: the subscription is disabled. Set its status to active first.',
    )
}

async function findDelivery(call: Call, id: string): Promise<Delivery> {
  const delivery = await webhooks.findDelivery(call, id, listReadableEventTypes(call))
  if (delivery === undefined) throw notFound()
  return delivery
}

function sealSecret(call: Call, webhookId: string, secret: string): string {
  return createVault(call.services.config.encryptionKey).seal(
    secret,
    getSecretEncryptionContext(call.organizationId, webhookId),
  )
}

function toTimestamp(text: string): string {
  return new Date(text).toISOString()
}
