import type { Contract } from '../../platform/calls/contract.ts'
import { html } from './page/html.ts'
import type { Page, Site } from './page/page.ts'

/** What each role may do, from the contract's `x-roles`. */
interface Roles {
  roles: Record<string, string>
  permissions: Record<string, { read: string[]; write: string[] }>
  administration: Record<string, { read: string[]; write: string[] }>
}

export function rolesPage(site: Site, contract: Contract): Page {
  const { roles, permissions, administration } = contract.document['x-roles'] as Roles
  const names = Object.keys(roles)
  return {
    title: 'Roles',
    section: '/roles',
    content: html`<h1>Roles</h1>
<p>Each of a builder's people has a role, which <a href="${site.docs}/operations/listUsers"><code>listUsers</code></a> shows.
What a key may do is never more than the role of whoever made it may at the time. How large an order somebody may approve
is set for each person.</p>
<table class="catalogue">
<thead><tr><th>Role</th><th>What they do</th></tr></thead>
<tbody>${names.map((name) => html`<tr><td><b>${name}</b></td><td>${roles[name] ?? ''}</td></tr>\n`)}</tbody>
</table>
<h2>Permissions</h2>
${matrix(names, permissions)}
<h2>Administration</h2>
<p>What only people do, at the pages of the service. No key is given these.</p>
${matrix(names, administration)}`,
  }
}

function matrix(names: readonly string[], entities: Roles['permissions']) {
  return html`<table class="catalogue">
<thead><tr><th>Entity</th>${names.map((name) => html`<th>${name}</th>`)}</tr></thead>
<tbody>${Object.entries(entities).map(
    ([entity, may]) =>
      html`<tr><td><code>${entity}</code></td>${names.map((name) => html`<td>${wordsFor(name, may)}</td>`)}</tr>\n`,
  )}</tbody>
</table>`
}

function wordsFor(role: string, { read, write }: { read: string[]; write: string[] }): string {
  if (write.includes(role)) return 'read, write'
  return read.includes(role) ? 'read' : '–'
}
