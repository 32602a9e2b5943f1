import type { Problem, ProblemCode } from '../../../client/contract.gen.ts'
import type { Contract, SchemaReference } from '../../platform/calls/contract.ts'
import { type Html, html } from './page/html.ts'
import { type Page, renderInlineMarkdown, renderJson, type Site } from './page/page.ts'

/**
 * An entry in the catalog of problems, which is generated from the contract's `x-problems`. The `type` of every problem
 * links to its entry.
 */
interface ProblemEntry {
  code: ProblemCode
  when: string
  advice: string
  /** The members of the problem whose values come from a fixed set. */
  members: readonly Member[]
  example: Problem
}

interface Member {
  name: string
  meanings: Readonly<Record<string, string>>
}

export function listProblemEntries(contract: Contract): ProblemEntry[] {
  type Declared = { when: string; advice: string; members?: string[]; example: { value: Problem } | SchemaReference }
  const declared = (contract.document['x-problems'] ?? {}) as Record<ProblemCode, Declared>
  return Object.entries(declared).map(([code, { when, advice, members = [], example }]) => ({
    code: code as ProblemCode,
    when,
    advice,
    members: members.flatMap((name) => findMember(contract, name)),
    example: contract.resolve<{ value: Problem }>(example).value,
  }))
}

function findMember(contract: Contract, name: string): Member[] {
  type Property = { 'x-enumDescriptions'?: Record<string, string> } | SchemaReference
  const schema = contract.document.components.schemas?.Problem as { properties: Record<string, Property> }
  const { [name]: property = {} } = schema.properties
  const { 'x-enumDescriptions': meanings } = contract.resolve<Exclude<Property, SchemaReference>>(property)
  return meanings === undefined ? [] : [{ name, meanings }]
}

export function renderProblemsPage(site: Site, contract: Contract): Page {
  const byStatus = [...Map.groupBy(listProblemEntries(contract), ({ example }) => example.status)].sort(
    ([a], [b]) => a - b,
  )
  const rows = byStatus.flatMap(([status, entries]) =>
    entries.map(
      ({ code, example, when }) =>
        html`<tr><td>${status}</td><td><a href="${site.docs}/problems/${code}"><code>${code}</code></a></td><td><b>${example.title}</b>
${renderInlineMarkdown(when)}</td></tr>\n`,
    ),
  )
  return {
    title: 'Problems',
    section: '/problems',
    content: html`<h1>Problems</h1>
<p>Error responses are problems in the format <code>application/problem+json</code> (RFC 9457). Base your program’s decisions
on <code>code</code>, which never changes. Show <code>detail</code> to users. Quote the <code>requestId</code> when you contact
support. The <code>type</code> of a problem is the URL of its page here.</p>
<table class="catalogue">
<thead><tr><th>Status</th><th>Code</th><th>Problem</th></tr></thead>
<tbody>${rows}</tbody>
</table>`,
  }
}

export function renderProblemPage(site: Site, contract: Contract, code: string): Page | null {
  const entry = listProblemEntries(contract).find((candidate) => candidate.code === code)
  if (entry === undefined) return null
  const { example } = entry
  return {
    title: code,
    section: '/problems',
    content: html`<p class="crumbs"><a href="${site.docs}/problems">Problems</a></p>
<h1><code>${code}</code></h1>
<p class="lead">${example.status} · ${example.title}</p>
<h2>When it occurs</h2>
<p>${renderInlineMarkdown(entry.when)}</p>
<h2>How to fix it</h2>
<p>${renderInlineMarkdown(entry.advice)}</p>
${entry.members.map(renderMembersTable)}<h2>Example</h2>
${renderJson(example)}`,
  }
}

function renderMembersTable({ name, meanings }: Member): Html {
  const rows = Object.entries(meanings).map(
    ([value, meaning]) =>
      html`<tr id="${value}"><td><code>${value}</code></td><td>${renderInlineMarkdown(meaning)}</td></tr>\n`,
  )
  return html`<h2>Values of <code>${name}</code></h2>
<table class="catalogue">
<thead><tr><th>Value</th><th>Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table>
`
}
