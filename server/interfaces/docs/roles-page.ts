import type { Contract } from '../../platform/calls/contract.ts'
import { html } from './page/html.ts'
import type { Page, Site } from './page/page.ts'

/** The permissions of each role, from the contract's `x-roles`. */
interface Roles {
  roles: Record<string, string>
  permissions: Record<string, { read: string[]; write: string[] }>
  administration: Record<string, { read: string[]; write: string[] }>
}

export function renderRolesPage(site: Site, contract: Contract): Page {
  const { roles, permissions, administration } = contract.document['x-roles'] as Roles
  const names = Object.keys(roles)
  return {
    title: 'Roles',
    section: '/roles',
    content: html`<h1>Roles</h1>
<p>Each user of a builder has a role, which <a href="${site.docs}/operations/listUsers"><code>listUsers</code></a> returns. An
API key never has more permissions than the current role of the user who created it. The approval limit for orders is set for
each user.</p>
<table class="catalogue">
<thead><tr><th>Role</th><th>Responsibilities</th></tr></thead>
<tbody>${names.map((name) => html`<tr><td><b>${name}</b></td><td>${roles[name] ?? ''}</td></tr>\n`)}</tbody>
</table>
<h2>Permissions</h2>
${renderMatrix(names, permissions)}
<h2>Administration</h2>
<p>Permissions that only users have, in the admin area. API keys cannot have them.</p>
${renderMatrix(names, administration)}`,
  }
}

function renderMatrix(names: readonly string[], entities: Roles['permissions']) {
  return html`<table class="catalogue">
<thead><tr><th>Record</th>${names.map((name) => html`<th>${name}</th>`)}</tr></thead>
<tbody>${Object.entries(entities).map(
    ([entity, may]) =>
      html`<tr><td><code>${entity}</code></td>${names.map((name) => html`<td>${describeAccess(name, may)}</td>`)}</tr>\n`,
  )}</tbody>
</table>`
}

function describeAccess(role: string, { read, write }: { read: string[]; write: string[] }): string {
  if (write.includes(role)) return 'read, write'
  return read.includes(role) ? 'read' : '–'
}
