import type { Config } from '../config.ts'
import { eventTypes } from '../events/event-types.ts'
import type { Contract, Schema } from '../http/contract.ts'
import { GUIDES, readGuide } from './guides.ts'
import { anchorFor, type Site } from './page/page.ts'
import { problemEntries } from './problems.ts'
import { atlasOf } from './reference/atlas.ts'
import { everyField, type Field, fieldsOf } from './reference/fields.ts'
import { inputOf } from './reference/operation.ts'
import { compositeSkills, skillInput } from './skills.ts'

/**
 * Everything that the search of the documentation finds. The browser makes its index of it (search.js) when somebody
 * searches for the first time, so that a search costs the service nothing.
 */
export type SearchEntry = readonly [kind: Kind, title: string, detail: string, address: string, text: string]
type Kind = 'Operation' | 'Field' | 'Object' | 'Skill' | 'Guide' | 'Event' | 'Problem'

export function searchEntries(site: Site, contract: Contract, config: Config): SearchEntry[] {
  return [
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
        ...(['Problem', code, example.title, `${site.docs}/problems/${code}`, `${when} ${advice}`] as const),
      ],
    ),
  ]
}

function operationsAndObjects(site: Site, contract: Contract): SearchEntry[] {
  const atlas = atlasOf(contract)
  const base = `${site.docs}/reference`
  return atlas.groups.flatMap(({ rooms }) =>
    rooms.flatMap((room) => {
      const page = `${base}/${room.slug}`
      const operations = room.operations.flatMap((operation): SearchEntry[] => {
        const { id, path, method, declaration } = operation
        const { summary = id, description = '' } = declaration
        const { path: inPath, query, body } = inputOf(atlas, base, operation)
        return [
          ['Operation', summary, `${id} ${method} ${path}`, `${page}#${id}`, description],
          // Headers and the parameters of paging are the same everywhere, and the guides say all about them.
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

/** A guide is found by each of its sections. */
function guideEntries(site: Site, config: Config, name: string): SearchEntry[] {
  const { title, lead, text } = readGuide(name, site, config)
  const page = `${site.docs}/guides/${name}`
  const sections = text.split(/^## /m).slice(1)
  return [
    ['Guide', title, '', page, lead],
    ...sections.map((section): SearchEntry => {
      const [heading = '', ...lines] = section.split('\n')
      const words = lines.join(' ').replaceAll(/```.*?```|[`*#[\]]/g, ' ')
      return ['Guide', heading, title, `${page}#${anchorFor(heading)}`, words.replaceAll(/\s+/g, ' ').trim()]
    }),
  ]
}
