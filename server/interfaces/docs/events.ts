import type { EventTypeEntry } from '../../../client/contract.gen.ts'
import {
  type Contract,
  isForPrograms,
  type OperationObject,
  type ParameterObject,
} from '../../platform/calls/contract.ts'
import { eventTypes } from '../../platform/events/event-types.ts'
import { keyOf } from '../../platform/webhooks/secret.ts'
import { signature } from '../../platform/webhooks/signature.ts'
import { html } from './page/html.ts'
import { code, inline, json, type Page, type Site } from './page/page.ts'

/** The catalogue of events with a sample of each, and a form to check a signature with the client's own code. */
export function eventsPage(site: Site, contract: Contract): Page {
  const types = eventTypes(contract)
  const sample = sampleDelivery(contract)
  const available = types.filter((type) => type.available)
  const entries = types.map(
    (entry) => html`<section id="${entry.type}">
<h3><code>${entry.type}</code></h3>
<p><b>${entry.summary}.</b> ${inline(entry.description)}</p>
<p>It takes <code>${entry.permission}</code> to read it.</p>${availability(entry)}${emittedBy(site, contract, entry.type)}
<details><summary>Sample</summary>${json(entry.example)}</details>
</section>\n`,
  )
  const rows = headersOf(contract).map(
    ({ name, description = '' }) => html`<tr><td><code>${name}</code></td><td>${inline(description)}</td></tr>\n`,
  )
  return {
    title: 'Events',
    section: '/events',
    scripts: ['verify.js'],
    content: html`<h1>Events</h1>
<p>There are ${types.length} types of event, of which ${available.length} are available, which means that something fires them. A <a href="${site.docs}/operations/createWebhook">webhook</a> is sent those that it
subscribes to; <a href="${site.docs}/operations/listEvents"><code>listEvents</code></a> reads them later. The
<a href="${site.docs}/guides/webhooks">guide to webhooks</a> shows how to receive them.</p>
<ul class="index">${types.map((entry) => html`<li><a href="#${entry.type}"><code>${entry.type}</code></a>${entry.available ? null : ' (not available yet)'}</li>`)}</ul>
<h2 id="delivery">A delivery</h2>
<p>An event comes as a <code>POST</code> with these headers:</p>
<table>
<thead><tr><th>Header</th><th>What it holds</th></tr></thead>
<tbody>${rows}</tbody>
</table>
<h2 id="verify">Check a signature</h2>
<p>This form runs <code>verifyWebhook</code> of the TypeScript client in your browser; nothing leaves this page. It starts with
a correctly signed delivery. Change a character of it, or paste one of your own.</p>
<form id="verify-form">
<label>Secret <input name="secret" value="${sample.secret}" autocomplete="off" spellcheck="false"></label>
<label>webhook-id <input name="id" value="${sample.id}" autocomplete="off" spellcheck="false"></label>
<label>webhook-timestamp <input name="timestamp" value="${sample.timestamp}" autocomplete="off" spellcheck="false"></label>
<label>X-Webhook-Signature <input name="signature" value="${sample.signature}" autocomplete="off" spellcheck="false"></label>
<label>The body, byte by byte <textarea name="body" rows="6" autocomplete="off" spellcheck="false">${sample.body}</textarea></label>
<button>Verify</button> <output id="verdict" role="status"></output>
</form>
<p>The bytes that are signed:</p>
${code(`${sample.id}.${sample.timestamp}.${sample.body.slice(0, 60)}…`)}
<h2 id="catalogue">The catalogue</h2>
${entries}`,
  }
}

/** A note that keeps readers from waiting for an event that cannot happen yet. */
function availability({ available }: EventTypeEntry) {
  if (available) return null
  return html`\n<p><b>Not available yet</b> (<code>available: false</code>): nothing fires it so far. A subscription to it receives it
once something does.</p>`
}

/** The operations that may record it. Some events also happen as time passes; their description says so. */
function emittedBy(site: Site, contract: Contract, type: string) {
  const emitters = [...contract.operations.values()].filter((each) => isForPrograms(each) && each.emits.includes(type))
  if (emitters.length === 0) return null
  const links = emitters.map(({ id }) => html`<li><a href="${site.docs}/operations/${id}"><code>${id}</code></a></li>`)
  return html`\n<p>Emitted by</p>\n<ul class="index">${links}</ul>`
}

function headersOf(contract: Contract): ParameterObject[] {
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

/** A delivery as the service would send it, signed with the secret that the contract shows as an example. */
function sampleDelivery(contract: Contract): Delivery {
  const shown = contract.document.components.examples?.WebhookWithSecret as { value: { secret: string } }
  const { secret } = shown.value
  const example = eventTypes(contract).find(({ type }) => type === 'bid.submitted')?.example ?? {}
  const body = JSON.stringify(example)
  const id = String(example.id)
  const timestamp = Math.ceil(Date.parse(String(example.timestamp)) / 1000)
  return { secret, id, timestamp, signature: signature([keyOf(secret)], id, timestamp, Buffer.from(body)), body }
}
