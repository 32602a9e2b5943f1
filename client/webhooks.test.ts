import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from './webhooks.ts'
import vectors from './webhooks.vectors.json' with { type: 'json' }

const [vector] = vectors
if (vector === undefined) throw new Error('There are no test vectors.')

function getHeaders({ id, timestamp, signature }: { id: string; timestamp: number; signature: string }) {
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
}

describe('the published test vectors', () => {
  test.each(vectors)(
    'verifyWebhook handles the published test vector "$name"',
    async ({ secret, body, now, valid, ...rest }) => {
      const verified = verifyWebhook({ headers: getHeaders(rest), body }, secret, { now: new Date(now * 1000) })
      if (valid) expect(await verified).toEqual(JSON.parse(body))
      else await expect(verified).rejects.toBeInstanceOf(WebhookVerificationError)
    },
  )

  test('the published test vectors have the signatures that the standard requires', () => {
    const signed = new Webhook(vector.secret).sign(vector.id, new Date(vector.timestamp * 1000), vector.body)
    expect(signed).toBe(vector.signature)
  })
})

const now = new Date(vector.timestamp * 1000)

test('during a secret rotation, a signature is valid if it matches any of the secrets', async () => {
  const request = { headers: getHeaders(vector), body: vector.body }
  const secrets = ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', vector.secret]
  expect((await verifyWebhook(request, secrets, { now })).id).toBe(vector.id)
  await expect(verifyWebhook(request, secrets.slice(0, 1), { now })).rejects.toMatchObject({ fault: 'wrong_signature' })
  await expect(verifyWebhook(request, [], { now })).rejects.toMatchObject({ fault: 'wrong_signature' })
})

test('verifyWebhook accepts Fetch headers, Node headers, and both names of the signature header', async () => {
  const { id, timestamp, signature, body, secret } = vector
  const own = { 'Webhook-Id': id, 'Webhook-Timestamp': String(timestamp), 'X-Webhook-Signature': signature }
  expect((await verifyWebhook({ headers: own, body }, secret, { now })).id).toBe(id)
  expect((await verifyWebhook({ headers: new Headers(own), body }, secret, { now })).id).toBe(id)
  expect((await verifyWebhook({ headers: own, body: new TextEncoder().encode(body) }, secret, { now })).id).toBe(id)
})

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
  'a request without %s is rejected',
  async (name) => {
    const headers: Record<string, string> = getHeaders(vector)
    delete headers[name]
    await expect(verifyWebhook({ headers, body: vector.body }, vector.secret, { now })).rejects.toMatchObject({
      fault: 'missing_header',
    })
  },
)

test.each(['null', '5', '"x"', '[]', '{}', ''])(
  'a signed body of %s is rejected because it is not an event',
  async (body) => {
    const { id, secret } = vector
    const request = {
      headers: { ...getHeaders(vector), 'webhook-signature': new Webhook(secret).sign(id, now, body) },
      body,
    }
    const refused = verifyWebhook(request, secret, { now })
    await expect(refused).rejects.toBeInstanceOf(WebhookVerificationError)
    await expect(refused).rejects.toMatchObject({ fault: 'wrong_body' })
  },
)

test('the type of a webhook event determines the TypeScript type of the record that it contains', () => {
  const amountOf = (event: WebhookEvent) => {
    // The compiler infers the resource from the event type. The test passes if this function compiles.
    if (event.type === 'vendor.created') return event.data.object.companyName
    if (event.type === 'payment.created') return event.data.object.amount
    return null
  }
  expect(amountOf).toBeTypeOf('function')
})
