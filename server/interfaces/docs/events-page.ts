import type { EventTypeEntry } from '../../../client/contract.gen.ts'
import {
  type Contract,
  isOpenToApiClients,
  type OperationObject,
  type ParameterObject,
} from '../../platform/calls/contract.ts'
import { listEventTypes } from '../../platform/events/event-types.ts'
import { signPayload } from '../../platform/webhooks/signature.ts'
import { decodeSecret } from '../../platform/webhooks/webhook-secret.ts'
import { html } from './page/html.ts'
import { type Page, renderCode, renderInlineMarkdown, renderJson, type Site } from './page/page.ts'

/**
 * Renders the event catalog with a sample of each event, and with a form that verifies a signature with the client
 * library's code.
 */
export function renderEventsPage(site: Site, contract: Contract): Page {
  const types = listEventTypes(contract)
  const sample = buildSampleDelivery(contract)
  const available = types.filter((type) => type.available)
  const entries = types.map(
    (entry) => html`<section id="${entry.type}">
<h3><code>${entry.type}</code></h3>
<p><b>${entry.summary}.</b> ${renderInlineMarkdown(entry.description)}</p>
<p>Requires <code>${entry.permission}</code>.</p>${renderAvailability(entry)}${renderEmittingOperations(site, contract, entry.type)}
<details><summary>Sample</summary>${renderJson(entry.example)}</details>
</section>\n`,
  )
  const rows = listWebhookHeaders(contract).map(
    ({ name, description = '' }) =>
      html`<tr><td><code>${name}</code></td><td>${renderInlineMarkdown(description)}</td></tr>\n`,
  )
  return {
    title: 'Events',
    section: '/events',
    scripts: ['verify.js'],
    content: html`<h1>Events</h1>
<p>There are ${types.length} event types. ${available.length} of them are available, which means that the service currently sends
them. A <a href="${site.docs}/operations/createWebhook">webhook subscription</a> receives the types that it subscribes to. To
read events later, use <a href="${site.docs}/operations/listEvents"><code>listEvents</code></a>. To write a receiver, see
<a href="${site.docs}/guides/webhooks">Webhooks</a>.</p>
<ul class="index">${types.map((entry) => html`<li><a href="#${entry.type}"><code>${entry.type}</code></a>${entry.available ? null : ' (not available yet)'}</li>`)}</ul>
<h2 id="delivery">Delivery format</h2>
<p>An event is delivered as a <code>POST</code> request with these headers:</p>
<table>
<thead><tr><th>Header</th><th>Description</th></tr></thead>
<tbody>${rows}</tbody>
</table>
<h2 id="verify">Verify a signature</h2>
<p>This form runs <code>verifyWebhook</code> of the TypeScript client in your browser and sends no data. It starts with a
correctly signed delivery. Change a character, or paste a delivery of your own.</p>
<form id="verify-form">
<label>Secret <input name="secret" value="${sample.secret}" autocomplete="off" spellcheck="false"></label>
<label>webhook-id <input name="id" value="${sample.id}" autocomplete="off" spellcheck="false"></label>
<label>webhook-timestamp <input name="timestamp" value="${sample.timestamp}" autocomplete="off" spellcheck="false"></label>
<label>X-Webhook-Signature <input name="signature" value="${sample.signature}" autocomplete="off" spellcheck="false"></label>
<label>Body, exactly as received <textarea name="body" rows="6" autocomplete="off" spellcheck="false">${sample.body}</textarea></label>
<button>Verify</button> <output id="verdict" role="status"></output>
</form>
<p>Signed bytes:</p>
${renderCode(`${sample.id}.${sample.timestamp}.${sample.body.slice(0, 60)}…`)}
<h2 id="catalogue">Event catalog</h2>
${entries}`,
  }
}

/** Renders a note for an event that the service does not send yet, so that readers do not wait for it. */
function renderAvailability({ available }: EventTypeEntry) {
  if (available) return null
  return html`\n<p><b>Not available yet</b> (<code>available: false</code>): the service does not send this event yet. You can already subscribe
to it.</p>`
}

/**
 * Renders the operations that may record the event. Some events can also occur without an operation, after a certain
 * time; their descriptions say so.
 */
function renderEmittingOperations(site: Site, contract: Contract, type: string) {
  const emitters = [...contract.operations.values()].filter(
    (each) => isOpenToApiClients(each) && each.emits.includes(type),
  )
  if (emitters.length === 0) return null
  const links = emitters.map(({ id }) => html`<li><a href="${site.docs}/operations/${id}"><code>${id}</code></a></li>`)
  return html`\n<p>Sent by:</p>\n<ul class="index">${links}</ul>`
}

function listWebhookHeaders(contract: Contract): ParameterObject[] {
  const [event] = Object.values(contract.document.webhooks ?? {}) as { post: OperationObject }[]
  return (event?.post.parameters ?? []).map((declared) => contract.resolve<ParameterObject>(declared))
}

interface Delivery {
  secret: string
  id: string
  timestamp: number
  signature: string
  body: string
}

/** Creates a delivery as the service would send it, signed with the contract's example secret. */
function buildSampleDelivery(contract: Contract): Delivery {
  const shown = contract.document.components.examples?.WebhookWithSecret as { value: { secret: string } }
  const { secret } = shown.value
  const example = listEventTypes(contract).find(({ type }) => type === 'bid.submitted')?.example ?? {}
  const body = JSON.stringify(example)
  const id = String(example.id)
  const timestamp = Math.ceil(Date.parse(String(example.timestamp)) / 1000)
  return {
    secret,
    id,
    timestamp,
    signature: signPayload([decodeSecret(secret)], id, timestamp, Buffer.from(body)),
    body,
  }
}
