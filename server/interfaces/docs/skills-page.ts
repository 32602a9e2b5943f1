import type { Contract, Schema, SchemaReference } from '../../platform/calls/contract.ts'
import { highlightCode } from './page/highlight-code.ts'
import { type Html, html } from './page/html.ts'
import { type Page, renderMarkdown, type Site } from './page/page.ts'
import { type Field, listFields, renderFieldList } from './reference/field-list.ts'
import { getReferenceIndex } from './reference/reference-index.ts'

interface DeclaredSkill {
  summary: string
  description: string
  permissions: string[]
  input: Schema | SchemaReference
  output: Schema | SchemaReference
  examples?: Record<string, { summary?: string; value: unknown }>
}

/** Returns the composite skills. Each operation is also a skill, as the page explains, but is not included here. */
export function listCompositeSkills(contract: Contract): [name: string, skill: DeclaredSkill][] {
  return Object.entries((contract.document['x-skills'] ?? {}) as Record<string, DeclaredSkill>)
}

export function listSkillInput(site: Site, contract: Contract, name: string, { input }: DeclaredSkill): Field[] {
  return listFields({ atlas: getReferenceIndex(contract), base: `${site.docs}/reference`, isWhole: true }, name, input)
}

export function renderSkillsPage(site: Site, contract: Contract): Page {
  const skills = listCompositeSkills(contract)
  return {
    title: 'Skills',
    section: '/skills',
    content: html`<div class="prose">
<h1>Skills</h1>
<p>Every operation that a key may call is also a skill with the same name. Its input is one flat object with the path
parameters, query parameters and body fields of the operation. In addition, there are ${skills.length} composite skills, which
combine several operations. Run a skill with
<a href="${site.docs}/operations/executeSkill"><code>executeSkill</code></a>. With <code>dryRun</code>, nothing is saved.
<a href="${site.docs}/operations/listSkills"><code>listSkills</code></a> lists the skills that a key may use. To connect an
assistant, see <a href="${site.docs}/guides/agents">AI agents and MCP</a>.</p>
</div>
<ul class="index">${skills.map(([name]) => html`<li><a href="#${name}"><code>${name}</code></a></li>`)}</ul>
${skills.map(([name, skill]) => renderSkillSection(site, contract, name, skill))}`,
  }
}

function renderSkillSection(site: Site, contract: Contract, name: string, skill: DeclaredSkill): Html {
  const place = { atlas: getReferenceIndex(contract), base: `${site.docs}/reference`, isWhole: false }
  const [example] = Object.values(skill.examples ?? {})
  return html`<section class="operation" id="${name}">
<div class="about">
<h2><a href="#${name}">${skill.summary}</a></h2>
<p class="call"><code>${name}</code></p>
${renderMarkdown(skill.description)}
<dl class="needs"><dt>Requires</dt><dd>${['skills:write', ...skill.permissions].map((each) => html`<code>${each}</code> `)}</dd></dl>
<h3>Input</h3>
${renderFieldList(listSkillInput(site, contract, name, skill)) ?? html`<p>None.</p>`}
<h3>Result</h3>
${renderFieldList(listFields(place, `${name}.result`, skill.output))}
</div>
<div class="shown">${
    example === undefined
      ? null
      : html`<p>${example.summary ?? 'Example'}</p>
<pre class="lines"><code tabindex="0">${highlightCode(JSON.stringify({ skill: name, input: example.value, dryRun: true }, null, 2))}</code></pre>`
  }</div>
</section>\n`
}
