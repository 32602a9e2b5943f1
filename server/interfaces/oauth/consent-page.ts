import type { Permission } from '../../../client/contract.gen.ts'
import { escapeHtml } from '../portal/pages/html.ts'
import { ENTITIES, ENTITY_NAMES } from './entities.ts'
import { STYLE } from './oauth-style.ts'

/** The content of the page. Everything except the builder's own data comes from an unknown app. */
export interface ConsentPageContent {
  readonly clientName: string
  /** The place where the app receives the response: a host, or the URL scheme of a program on the user's device. */
  readonly place: string
  readonly isOnDevice: boolean
  readonly person: { readonly name: string; readonly email: string; readonly role: string }
  readonly organization: { readonly id: string; readonly name: string }
  /** The user's other organizations, each with the URL of the consent page for that organization. */
  readonly others: readonly { readonly name: string; readonly href: string }[]
  readonly offered: readonly Permission[]
  readonly ticket: string
  readonly action: string
}

/**
 * Renders the consent page: the app, the requested permissions, the user, the organization, and a button to deny the
 * request. The page works without scripts.
 */
export function renderConsentPage(shown: ConsentPageContent): string {
  const { clientName, place, isOnDevice, person, organization, others, offered, ticket, action } = shown
  const app = escapeHtml(clientName)
  const where = isOnDevice ? `a program on this device (${escapeHtml(place)})` : `<strong>${escapeHtml(place)}</strong>`
  const elsewhere =
    others.length === 0
      ? ''
      : `<p class="small">Not for ${escapeHtml(organization.name)}? Choose ${others
          .map(({ name, href }) => `<a href="${escapeHtml(href)}">${escapeHtml(name)}</a>`)
          .join(' or ')}.</p>`
  const content = `<h1>Connect “${app}”?</h1>
<p class="lead">It asks to act in Plumbline as <strong>${escapeHtml(person.name)}</strong> (${escapeHtml(person.email)}), ${escapeHtml(person.role)} at <strong>${escapeHtml(organization.name)}</strong>. The history records everything it does as done by you through this app.</p>
${elsewhere}<p class="note warn">The name “${app}” has not been verified. Your answer goes to ${where}. Continue only if you just tried to connect this app.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<section class="sheet"><h2>Permissions</h2>
${renderSummary(offered)}
<details><summary>Choose permissions</summary>
${renderPermissionTable(offered)}
</details></section>
<section class="sheet in">
<label class="pick"><input type="checkbox" name="proposeOnly" value="yes"><span><strong>Propose only</strong><br><span class="faint small">Changes wait until a person approves them.</span></span></label>
</section>
<div class="two">
<button class="btn" name="decision" value="refuse">Deny access</button>
<button class="btn go" name="decision" value="allow">Allow access</button>
</div>
</form>
<p class="faint small">The app can never do more than your role allows, and it loses a permission when you do. To disconnect it, go to Settings, Connected apps. Access expires after one year.</p>`
  return renderFrame(`Connect “${clientName}”?`, content)
}

/** Renders a page with a message and no form. */
export function renderNoticePage(title: string, message: string): string {
  return renderFrame(title, `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(message)}</p>`)
}

/** Renders the message for an app that the user has not connected, with a link that passes the error to the app. */
export function renderUnconnectedPage(
  title: string,
  message: string,
  { clientName, place, href }: { clientName: string; place: string; href: string },
): string {
  const content = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
<p class="note warn">Plumbline does not open ${escapeHtml(place)} by itself, because the app “${escapeHtml(clientName)}” has not been verified. Continue only if you know the app and expected this.</p>
<p><a href="${escapeHtml(href)}" rel="noreferrer">Return to ${escapeHtml(place)}</a></p>`
  return renderFrame(title, content)
}

function renderSummary(offered: readonly Permission[]): string {
  const named = (verb: string) => ENTITY_NAMES.filter((entity) => offered.some((one) => one === `${entity}:${verb}`))
  const row = (title: string, entities: readonly (keyof typeof ENTITIES)[]) =>
    entities.length === 0
      ? ''
      : `<tr><th scope="row">${title}</th><td>${entities.map((entity) => escapeHtml(ENTITIES[entity])).join(', ')}</td></tr>`
  return `<table class="brief">${row('See', named('read'))}${row('Change', named('write'))}</table>`
}

function renderPermissionTable(offered: readonly Permission[]): string {
  const rows = ENTITY_NAMES.flatMap((entity) => {
    const cells = (['read', 'write'] as const).map((verb) => {
      const permission = `${entity}:${verb}` as const
      if (!offered.some((one) => one === permission)) return '<td class="num"></td>'
      const label = `${verb === 'read' ? 'See' : 'Change'}: ${ENTITIES[entity]}`
      return `<td class="num"><input type="checkbox" name="permission" value="${permission}" aria-label="${escapeHtml(label)}" checked></td>`
    })
    return cells.every((cell) => !cell.includes('input'))
      ? []
      : [`<tr><th scope="row">${escapeHtml(ENTITIES[entity])}</th>${cells.join('')}</tr>`]
  })
  return `<table><thead><tr><th scope="col">Records</th><th scope="col" class="r">See</th><th scope="col" class="r">Change</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

const LOGO =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 1v6"/><path d="M9.8 7h4.5v2.5h-4.5zM7.3 10.5h9.5v4.2L12 23l-4.8-8.3z" fill="currentColor" stroke="none"/></svg>'

function renderFrame(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Plumbline</title>
<style>${STYLE}</style>
</head>
<body>
<header class="top">${LOGO}<div><strong>Plumbline</strong></div></header>
<main>
${content}
</main>
</body>
</html>
`
}
