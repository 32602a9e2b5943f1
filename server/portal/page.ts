import type {
  Address,
  PortalBidInvitation,
  PortalBidInvitationSummary,
  PortalInvitationStatus,
  PortalRequest,
  PortalVisit,
} from '../../client/contract.gen.ts'

/**
 * The vendor's pages, as plain HTML without scripts. Everything that anybody typed goes through `text`, and no page
 * contains an amount, name or count of anybody but the vendor who is looking.
 */
export function requestPage(invitation: PortalBidInvitation): string {
  const { builder, vendor, request, community, homes } = invitation
  const title = request.title ?? `${request.scope}, ${community.name}`
  return page(
    `${request.number} · ${title}`,
    `<p>${text(builder.name)} asks ${text(vendor.companyName)} for a price.</p>
<h1>${text(title)}</h1>
<p class="state">${text(stateOf(request, invitation.status))}</p>
${request.message === null ? '' : `<p class="message">${text(request.message)}</p>`}
<dl>
${entry('Number', request.number)}
${entry('Trade', request.scope)}
${entry('Bids are due by the end of', `${longDate(request.deadline)} (${request.timeZone})`)}
${entry('Community', [community.name, community.city, community.state].filter((part) => part !== null).join(', '))}
${homes.map((home) => entry('Home', [home.name, ...addressLines(home.address)].join(', '))).join('\n')}
${entry('What to quote', WHAT_TO_QUOTE[request.bidType])}
${request.effectiveFrom === null ? '' : entry('Prices hold from', longDate(request.effectiveFrom))}
${request.effectiveTo === null ? '' : entry('Prices hold until', longDate(request.effectiveTo))}
${request.inclusions === null ? '' : entry('Includes', request.inclusions)}
${request.exclusions === null ? '' : entry('Excludes', request.exclusions)}
</dl>
${lineTable(request)}
${invitation.canAnswer ? answerForm(invitation.status) : ''}`,
  )
}

const WHAT_TO_QUOTE: Record<PortalRequest['bidType'], string> = {
  lump_sum: 'One price for everything',
  unit_price: 'A unit price for each line',
  both: 'A price for each line, and one for everything',
}

function stateOf(request: PortalRequest, status: PortalInvitationStatus): string {
  if (request.status === 'cancelled')
    return `This request was cancelled${request.cancelReason === null ? '.' : `: ${request.cancelReason}`}`
  if (status === 'submitted') return 'Your bid has been received.'
  if (request.status === 'awarded') return 'This request has been awarded.'
  if (request.status === 'closed')
    return request.acceptLate ? 'The deadline has passed; late bids are still taken.' : 'Bidding has closed.'
  if (status === 'will_bid') return 'You have said that you will bid.'
  if (status === 'declined') return 'You have declined this request.'
  return 'Your bid is awaited.'
}

function lineTable({ lines }: PortalRequest): string {
  if (lines.length === 0) return ''
  const rows = lines.map(
    (line) =>
      `<tr><td>${text(line.description)}</td><td class="number">${line.quantity}</td><td>${text(line.unit)}</td><td>${line.required ? '' : 'optional'}</td></tr>`,
  )
  return `<table><thead><tr><th>To be priced</th><th>Quantity</th><th>Unit</th><th></th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
}

function answerForm(status: PortalInvitationStatus): string {
  const willBid =
    status === 'will_bid'
      ? ''
      : '<form method="post"><button name="answer" value="will_bid">We will bid</button></form>'
  const decline =
    status === 'declined'
      ? ''
      : `<form method="post"><label>Why not? <input name="reason" maxlength="1000"></label> <button name="answer" value="declined">We decline</button></form>`
  return `<section>\n${willBid}\n${decline}\n</section>`
}

export function vendorPage(view: {
  builder: PortalVisit['builder']
  vendor: PortalVisit['vendor']
  invitations: readonly PortalBidInvitationSummary[]
  /** The page's own path, below which the invitations' pages are. */
  path: string
}): string {
  const items = view.invitations.map(
    ({ id, status, request: { number, title, scope, deadline, status: requestStatus } }) =>
      `<li><a href="${text(`${view.path}/${id}`)}">${text(number)} · ${text(title ?? scope)}</a>, due ${text(longDate(deadline))}: ${requestStatus === 'sent' ? OPEN_STATES[status] : requestStatus}</li>`,
  )
  const list =
    items.length === 0 ? '<p>There are no requests for you at present.</p>' : `<ul>\n${items.join('\n')}\n</ul>`
  const { builder, vendor } = view
  return page(
    `${builder.name} · ${vendor.companyName}`,
    `<h1>${text(vendor.companyName)}</h1>\n<p>What ${text(builder.name)} has asked you for:</p>\n${list}`,
  )
}

const OPEN_STATES: Record<PortalInvitationStatus, string> = {
  sent: 'your bid is awaited',
  viewed: 'your bid is awaited',
  will_bid: 'you will bid',
  declined: 'declined',
  submitted: 'your bid has been received',
  no_response: 'closed',
}

export function messagePage(title: string, message: string): string {
  return page(title, `<h1>${text(title)}</h1>\n<p>${text(message)}</p>`)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${text(title)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #1d2733; }
dt { font-weight: 600; margin-top: .5rem } dd { margin: 0; white-space: pre-line }
.message { white-space: pre-line } .state { font-weight: 600 } .number { text-align: right }
table { border-collapse: collapse; margin: 1rem 0 } td, th { border-bottom: 1px solid #ccd3da; padding: .25rem .75rem .25rem 0; text-align: left }
form { margin: 1rem 0 }
</style>
</head>
<body>
${content}
</body>
</html>
`
}

function entry(name: string, value: string): string {
  return `<dt>${text(name)}</dt><dd>${text(value)}</dd>`
}

function addressLines(address: Address | null): string[] {
  if (address === null) return []
  return [address.line1, address.line2, address.city, address.state, address.postalCode].filter((part) => part !== null)
}

// A calendar date has no time zone; UTC keeps it from shifting.
const LONG_DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' })

function longDate(date: string): string {
  return LONG_DATE.format(new Date(date))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element or a quoted attribute. */
function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
