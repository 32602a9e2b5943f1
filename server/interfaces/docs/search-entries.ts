import type { Contract, Schema } from '../../platform/calls/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import { listEventTypes } from '../../platform/events/event-types.ts'
import { listGlossaryTerms } from './glossary-page.ts'
import { GUIDES, readGuide } from './guides.ts'
import { type Site, stripTags, toAnchor } from './page/page.ts'
import { listProblemEntries } from './problem-pages.ts'
import { type Field, flattenFields, listFields } from './reference/field-list.ts'
import { ABOUT_THESE_PAGES, splitIntroduction } from './reference/introduction.ts'
import { listOperationFields } from './reference/operation-section.ts'
import { getReferenceIndex } from './reference/reference-index.ts'
import { SEARCH_SYNONYMS } from './search-synonyms.ts'
import { listCompositeSkills, listSkillInput } from './skills-page.ts'

/**
 * An entry in the documentation's search index. The browser builds the index at the first search (search.js), so
 * searching puts no load on the service.
 */
export type SearchEntry = readonly [
  ...[kind: EntryKind, title: string, detail: string, address: string, text: string],
  // Synonyms by which the search finds the entry. The results do not show them.
  also?: string,
]
type EntryKind =
  | 'Operation'
  | 'Field'
  | 'Object'
  | 'Schema'
  | 'Skill'
  | 'Guide'
  | 'Term'
  | 'Basics'
  | 'Event'
  | 'Problem'

export function listSearchEntries(site: Site, contract: Contract, config: Config): SearchEntry[] {
  const entries: SearchEntry[] = [
    ...splitIntroduction(contract).flatMap(({ anchor, title, text }): SearchEntry[] =>
      anchor === null ? [] : [['Basics', title, '', `${site.docs}#${anchor}`, stripMarkdown(text)]],
    ),
    ['Basics', ABOUT_THESE_PAGES.title, '', `${site.docs}#${ABOUT_THESE_PAGES.anchor}`, ABOUT_THESE_PAGES.text],
    ...listOperationsAndObjects(site, contract),
    ...listCompositeSkills(contract).flatMap(([name, skill]): SearchEntry[] => [
      ['Skill', skill.summary, name, `${site.docs}/skills#${name}`, skill.description],
      ...toFieldEntries(`${site.docs}/skills`, `of ${name}`, listSkillInput(site, contract, name, skill)),
    ]),
    ...GUIDES.flatMap((name) => toGuideEntries(site, config, name)),
    ...listGlossaryTerms().map(
      ({ term, meaning, anchor }): SearchEntry => [
        ...([
          'Term',
          stripMarkdown(term),
          'Glossary',
          `${site.docs}/glossary#${anchor}`,
          stripMarkdown(meaning),
        ] as const),
      ],
    ),
    ...listEventTypes(contract).map(
      ({ type, summary, description }): SearchEntry => [
        ...(['Event', type, summary, `${site.docs}/events#${type}`, description] as const),
      ],
    ),
    ...listProblemEntries(contract).map(
      ({ code, when, advice, example }): SearchEntry => [
        ...(['Problem', code, `${example.status} ${example.title}`] as const),
        ...([`${site.docs}/problems/${code}`, `${when} ${advice}`] as const),
      ],
    ),
  ]
  return addSynonyms(site, entries)
}

function addSynonyms(site: Site, entries: readonly SearchEntry[]): SearchEntry[] {
  const words = new Map(SEARCH_SYNONYMS.map(([address, also]) => [site.docs + address, also]))
  const found = entries.map((entry): SearchEntry => {
    const [kind, title, detail, address, text] = entry
    const also = words.get(address)
    if (also === undefined) return entry
    words.delete(address)
    return [kind, title, detail, address, text, also]
  })
  if (words.size > 0)
    throw new Error(`Expected a page at ${[...words.keys()].join(', ')}, because these paths have synonyms.`)
  return found
}

function listOperationsAndObjects(site: Site, contract: Contract): SearchEntry[] {
  const atlas = getReferenceIndex(contract)
  const base = `${site.docs}/reference`
  const entries = atlas.groups.flatMap(({ rooms }) =>
    rooms.flatMap((section) => {
      const page = `${base}/${section.slug}`
      const operations = section.operations.flatMap((operation): SearchEntry[] => {
        const { id, path, method, declaration } = operation
        const { summary = id, description = '' } = declaration
        const { path: inPath, query, body } = listOperationFields(atlas, base, operation)
        return [
          ['Operation', summary, `${id} ${method} ${path}`, `${page}#${id}`, description],
          // Headers and paging parameters are left out, because they are the same for all operations and the guides
          // explain them.
          ...toFieldEntries(page, `of ${id}`, [...inPath, ...query.filter(({ name }) => !PAGING.has(name)), ...body]),
        ]
      })
      const objects = section.objects.flatMap((name): SearchEntry[] => {
        const schema = contract.document.components.schemas?.[name] as Schema
        const { description = '' } = schema as { description?: string }
        return [
          ['Object', name, section.tag, `${page}#${name}`, description],
          ...toFieldEntries(page, `of ${name}`, listFields({ atlas, base, isWhole: false }, name, schema)),
        ]
      })
      return [...operations, ...objects]
    }),
  )
  return [...entries, ...listOtherSchemas(site, contract)]
}

/**
 * Returns entries for schemas without their own section, each with a link to the place that shows the schema. An input
 * is shown with its operation, and an enumeration with the first field that uses it.
 */
function listOtherSchemas(site: Site, contract: Contract): SearchEntry[] {
  const atlas = getReferenceIndex(contract)
  const base = `${site.docs}/reference`
  const sections = atlas.groups.flatMap((group) => group.rooms)
  const places = new Map<string, { address: string; whose: string }>()
  const note = (name: string | null, address: string, whose: string) => {
    if (name !== null && atlas.objectAt(name) === undefined && !places.has(name)) places.set(name, { address, whose })
  }
  const noteFields = (page: string, whose: string, fields: readonly Field[]) => {
    for (const { name, schemaName, anchor } of flattenFields(fields))
      note(schemaName, `${page}#${anchor}`, `${whose}.${name}`)
  }
  for (const { slug, objects } of sections)
    for (const name of objects) {
      const schema = contract.document.components.schemas?.[name] as Schema
      noteFields(`${base}/${slug}`, name, listFields({ atlas, base, isWhole: false }, name, schema))
    }
  for (const { slug, operations } of sections)
    for (const operation of operations) {
      const { id, declaration } = operation
      const schema = declaration.requestBody?.content['application/json']?.schema
      if (typeof schema?.$ref === 'string') note(schema.$ref.split('/').at(-1) ?? null, `${base}/${slug}#${id}`, id)
      const { path, query, body } = listOperationFields(atlas, base, operation)
      noteFields(`${base}/${slug}`, id, [...path, ...query, ...body])
    }
  return [...places].map(([name, { address, whose }]) => {
    const schema = (contract.document.components.schemas?.[name] ?? {}) as { description?: string; enum?: unknown[] }
    const { description = '', enum: values } = schema
    const says = values === undefined ? description : `enum: ${values.join(', ')}. ${description}`
    return ['Schema', name, `at ${whose}`, address, says]
  })
}

const PAGING: ReadonlySet<string> = new Set(['limit', 'cursor', 'sort'])

function toFieldEntries(page: string, whose: string, fields: readonly Field[]): SearchEntry[] {
  return flattenFields(fields).map(({ name, anchor, description }) => [
    'Field',
    name,
    whose,
    `${page}#${anchor}`,
    description,
  ])
}

/** Returns one entry for each section of a guide. */
function toGuideEntries(site: Site, config: Config, name: string): SearchEntry[] {
  const { title, lead, text } = readGuide(name, site, config)
  const page = `${site.docs}/guides/${name}`
  const sections = text.split(/^## /m).slice(1)
  return [
    ['Guide', title, '', page, lead],
    ...sections.map((section): SearchEntry => {
      const [heading = '', ...lines] = section.split('\n')
      return ['Guide', stripTags(heading), title, `${page}#${toAnchor(heading)}`, stripMarkdown(lines.join(' '))]
    }),
  ]
}

/** Returns the text of Markdown without markup and code blocks. */
function stripMarkdown(text: string): string {
  return text
    .replaceAll(/```.*?```|[`*#[\]]/gs, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
