import type { Contract, Schema } from '../../platform/calls/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import { eventTypes } from '../../platform/events/event-types.ts'
import { GUIDES, readGuide } from './guides.ts'
import { anchorFor, type Site, withoutTags } from './page/page.ts'
import { problemEntries } from './problems.ts'
import { atlasOf } from './reference/atlas.ts'
import { everyField, type Field, fieldsOf } from './reference/fields.ts'
import { ABOUT_PAGES, introductionOf } from './reference/introduction.ts'
import { inputOf } from './reference/operation.ts'
import { OTHER_WORDS } from './search-words.ts'
import { compositeSkills, skillInput } from './skills.ts'

/**
 * An entry of the documentation's search. The browser builds the index (search.js) at the first search, so a search
 * costs the service nothing.
 */
export type SearchEntry = readonly [
  ...[kind: Kind, title: string, detail: string, address: string, text: string],
  // Synonyms that are searched but not shown.
  also?: string,
]
type Kind = 'Operation' | 'Field' | 'Object' | 'Schema' | 'Skill' | 'Guide' | 'Basics' | 'Event' | 'Problem'

export function searchEntries(site: Site, contract: Contract, config: Config): SearchEntry[] {
  const entries: SearchEntry[] = [
    ...introductionOf(contract).flatMap(({ anchor, title, text }): SearchEntry[] =>
      anchor === null ? [] : [['Basics', title, '', `${site.docs}#${anchor}`, plain(text)]],
    ),
    ['Basics', ABOUT_PAGES.title, '', `${site.docs}#${ABOUT_PAGES.anchor}`, ABOUT_PAGES.text],
    ...operationsAndObjects(site, contract),
    ...compositeSkills(contract).flatMap(([name, skill]): SearchEntry[] => [
      ['Skill', skill.summary, name, `${site.docs}/skills#${name}`, skill.description],
      ...fieldEntries(`${site.docs}/skills`, `of ${name}`, skillInput(site, contract, name, skill)),
    ]),
    ...GUIDES.flatMap((name) => guideEntries(site, config, name)),
    ...eventTypes(contract).map(
      ({ type, summary, description }): SearchEntry => [
        ...(['Event', type, summary, `${site.docs}/events#${type}`, description] as const),
      ],
    ),
    ...problemEntries(contract).map(
      ({ code, when, advice, example }): SearchEntry => [
        ...(['Problem', code, `${example.status} ${example.title}`] as const),
        ...([`${site.docs}/problems/${code}`, `${when} ${advice}`] as const),
      ],
    ),
  ]
  return withOtherWords(site, entries)
}

function withOtherWords(site: Site, entries: readonly SearchEntry[]): SearchEntry[] {
  const words = new Map(OTHER_WORDS.map(([address, also]) => [site.docs + address, also]))
  const found = entries.map((entry): SearchEntry => {
    const [kind, title, detail, address, text] = entry
    const also = words.get(address)
    if (also === undefined) return entry
    words.delete(address)
    return [kind, title, detail, address, text, also]
  })
  if (words.size > 0) throw new Error(`Nothing is at ${[...words.keys()].join(', ')}, for which there are other words.`)
  return found
}

function operationsAndObjects(site: Site, contract: Contract): SearchEntry[] {
  const atlas = atlasOf(contract)
  const base = `${site.docs}/reference`
  const entries = atlas.groups.flatMap(({ rooms }) =>
    rooms.flatMap((room) => {
      const page = `${base}/${room.slug}`
      const operations = room.operations.flatMap((operation): SearchEntry[] => {
        const { id, path, method, declaration } = operation
        const { summary = id, description = '' } = declaration
        const { path: inPath, query, body } = inputOf(atlas, base, operation)
        return [
          ['Operation', summary, `${id} ${method} ${path}`, `${page}#${id}`, description],
          // Headers and paging parameters are the same everywhere, and the guides explain them.
          ...fieldEntries(page, `of ${id}`, [...inPath, ...query.filter(({ name }) => !PAGING.has(name)), ...body]),
        ]
      })
      const objects = room.objects.flatMap((name): SearchEntry[] => {
        const schema = contract.document.components.schemas?.[name] as Schema
        const { description = '' } = schema as { description?: string }
        return [
          ['Object', name, room.tag, `${page}#${name}`, description],
          ...fieldEntries(page, `of ${name}`, fieldsOf({ atlas, base, isWhole: false }, name, schema)),
        ]
      })
      return [...operations, ...objects]
    }),
  )
  return [...entries, ...otherSchemas(site, contract)]
}

/**
 * Schemas without a section of their own, with the place that shows them: inputs at their operation, enumerations at
 * the first field that uses them.
 */
function otherSchemas(site: Site, contract: Contract): SearchEntry[] {
  const atlas = atlasOf(contract)
  const base = `${site.docs}/reference`
  const rooms = atlas.groups.flatMap((group) => group.rooms)
  const places = new Map<string, { address: string; whose: string }>()
  const note = (name: string | null, address: string, whose: string) => {
    if (name !== null && atlas.objectAt(name) === undefined && !places.has(name)) places.set(name, { address, whose })
  }
  const noteFields = (page: string, whose: string, fields: readonly Field[]) => {
    for (const { name, schemaName, anchor } of everyField(fields))
      note(schemaName, `${page}#${anchor}`, `${whose}.${name}`)
  }
  for (const { slug, objects } of rooms)
    for (const name of objects) {
      const schema = contract.document.components.schemas?.[name] as Schema
      noteFields(`${base}/${slug}`, name, fieldsOf({ atlas, base, isWhole: false }, name, schema))
    }
  for (const { slug, operations } of rooms)
    for (const operation of operations) {
      const { id, declaration } = operation
      const schema = declaration.requestBody?.content['application/json']?.schema
      if (typeof schema?.$ref === 'string') note(schema.$ref.split('/').at(-1) ?? null, `${base}/${slug}#${id}`, id)
      const { path, query, body } = inputOf(atlas, base, operation)
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

function fieldEntries(page: string, whose: string, fields: readonly Field[]): SearchEntry[] {
  return everyField(fields).map(({ name, anchor, description }) => [
    'Field',
    name,
    whose,
    `${page}#${anchor}`,
    description,
  ])
}

/** Returns one entry for each section of a guide. */
function guideEntries(site: Site, config: Config, name: string): SearchEntry[] {
  const { title, lead, text } = readGuide(name, site, config)
  const page = `${site.docs}/guides/${name}`
  const sections = text.split(/^## /m).slice(1)
  return [
    ['Guide', title, '', page, lead],
    ...sections.map((section): SearchEntry => {
      const [heading = '', ...lines] = section.split('\n')
      return ['Guide', withoutTags(heading), title, `${page}#${anchorFor(heading)}`, plain(lines.join(' '))]
    }),
  ]
}

/** Returns Markdown without its markup and its code blocks. */
function plain(text: string): string {
  return text
    .replaceAll(/```.*?```|[`*#[\]]/gs, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
