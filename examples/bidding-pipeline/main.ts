import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient, orThrow, type SyncResult, verifyWebhook, type WebhookEvent } from '../../client/index.ts'

// PLUMBLINE_KEY=plb_… npx node examples/bidding-pipeline/main.ts
const { PLUMBLINE_URL: baseUrl = 'http://localhost:3000', PLUMBLINE_KEY: key = '', PORT = '4000' } = process.env
const { GET, POST, DELETE } = createClient({ baseUrl, key })

// A receiver of webhooks. It accepts only requests with a valid signature.
const hook = { url: `http://127.0.0.1:${PORT}/`, eventTypes: ['po.created' as const], secret: crypto.randomUUID() }
const heard = Promise.withResolvers<WebhookEvent>()
const receiver = createServer(async (request, response) => {
  const sent = { headers: request.headers, body: await text(request) }
  const event = await verifyWebhook(sent, hook.secret).catch(() => null)
  response.writeHead(event === null ? 400 : 204).end()
  if (event !== null) heard.resolve(event)
}).listen(Number(PORT), '127.0.0.1')
const webhook = await orThrow(POST('/api/ext/webhooks', { body: hook }))

// Imports records from other systems with one request for each kind. Running the program again changes nothing.
const framers = [
  { accountingId: 'QB-2001', companyName: 'Comal Framing Co.', scopes: ['framing'] },
  { accountingId: 'QB-2002', companyName: 'Guadalupe Framers', scopes: ['framing'] },
]
const ofAccounting = { match: 'accountingId' as const, rows: framers }
const vendorIds = idsOf(await orThrow(POST('/api/ext/vendors/batch', { body: ofAccounting })))
const match = 'externalId'
const places = [{ externalId: 'erp-12', name: 'Pecan Creek', status: 'active' as const }]
const communities = await orThrow(POST('/api/ext/communities/batch', { body: { match, rows: places } }))
const [communityId = ''] = idsOf(communities)
const lots = [{ externalId: 'erp-12-7', name: 'Lot 7', lotNumber: '7', communityId }]
const [homeId = ''] = idsOf(await orThrow(POST('/api/ext/homes/batch', { body: { match, rows: lots } })))
const budget = [{ externalId: 'erp-12-7-framing', homeId, scope: 'framing', amount: 42_000 }]
await orThrow(POST('/api/ext/budget-lines/batch', { body: { match, rows: budget } }))

// Requests bids, enters those that arrived by email, and awards the lowest.
const deadline = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10)
const asked = { vendorIds, scope: 'framing', deadline, communityId, homeIds: [homeId] }
const { id: bidRequestId, number } = await orThrow(POST('/api/ext/bids/request', { body: asked }))
for (const [i, vendorId] of vendorIds.entries()) {
  const bid = { bidRequestId, vendorId, amount: 41_300 - i * 800, source: 'email' as const }
  await orThrow(POST('/api/ext/bids', { body: bid }))
}
const ofRequest = { params: { path: { bidRequestId } } }
const { lowestBidIds } = await orThrow(GET('/api/ext/bids/requests/{bidRequestId}/comparison', ofRequest))
const award = { params: { path: { bidId: lowestBidIds[0] ?? '' } }, body: { createPurchaseOrder: true } }
const { purchaseOrder } = await orThrow(POST('/api/ext/bids/{bidId}/accept', award))
const { data } = await heard.promise
if (purchaseOrder === null || data.object.id !== purchaseOrder.id) throw new Error('It was another order.')
const ofOrder = { path: { poId: purchaseOrder.id } }
for (const status of ['approved', 'issued'] as const)
  await orThrow(POST('/api/ext/purchase-orders/{poId}/status', { params: ofOrder, body: { status } }))

// Enters new or changed records in accounting and reports their IDs.
for (let after: string | undefined, hasMore = true; hasMore; ) {
  const query = { limit: 200, ...(after !== undefined && { after }) }
  const queue = await orThrow(GET('/api/ext/accounting/queue', { params: { query } }))
  const rows = queue.items.map(({ id, version, ...it }) => ({
    id,
    version,
    accountingId: it.accountingId ?? `QB-${id}`,
  }))
  if (rows.length > 0) await orThrow(POST('/api/ext/accounting/acknowledgements', { body: { rows } }))
  after = queue.resumeAfter
  hasMore = queue.hasMore
}

const read = { ...ofOrder, query: { expand: ['vendor' as const, 'home.community' as const] } }
const order = await orThrow(GET('/api/ext/purchase-orders/{poId}', { params: read }))
console.log(`${number} went to ${order.vendor?.companyName} for ${order.home?.name}, ${order.home?.community?.name}:`)
console.log(`${order.number} over ${order.total} ${order.currency}, in accounting as ${order.accountingId}.`)
await orThrow(DELETE('/api/ext/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } } }))
receiver.close()

function idsOf({ rows }: SyncResult): string[] {
  return rows.flatMap(({ id }) => id ?? [])
}
