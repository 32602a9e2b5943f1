import {
  type Contract,
  isOpenToApiClients,
  type Operation,
  type ResponseObject,
  type Schema,
  type SchemaReference,
} from '../../../platform/calls/contract.ts'

/**
 * The division of the reference into pages. Each tag has a page with its operations. Each object in the responses is
 * described on exactly one page, to which the other pages link.
 */
export interface ReferenceIndex {
  readonly contract: Contract
  /** The pages, in the order of the contract's tag groups. */
  readonly groups: readonly { readonly name: string; readonly rooms: readonly ReferenceSection[] }[]
  sectionNamed(slug: string): ReferenceSection | undefined
  sectionOf(operation: Operation): ReferenceSection
  /**
   * The URL of an object relative to the reference, such as `vendors#Vendor`; undefined if the schema is not an object.
   */
  objectAt(name: string): string | undefined
}

export interface ReferenceSection {
  readonly tag: string
  /** The page's name in URLs, such as `bid-requests`. */
  readonly slug: string
  readonly description: string
  readonly operations: readonly Operation[]
  /** The names of the schemas whose fields this page describes. */
  readonly objects: string[]
}

const indexes = new WeakMap<Contract, ReferenceIndex>()

export function getReferenceIndex(contract: Contract): ReferenceIndex {
  const known = indexes.get(contract)
  if (known !== undefined) return known
  const index = buildReferenceIndex(contract)
  indexes.set(contract, index)
  return index
}

function buildReferenceIndex(contract: Contract): ReferenceIndex {
  const { document } = contract
  const byTag = Map.groupBy([...contract.operations.values()].filter(isOpenToApiClients), getTag)
  const described = new Map((document.tags ?? []).map((tag: { name: string; description?: string }) => [tag.name, tag]))
  const groups = (document['x-tagGroups'] ?? []).flatMap(({ name, tags }) => {
    const rooms = tags.flatMap((tag): ReferenceSection[] => {
      const operations = byTag.get(tag)
      if (operations === undefined) return []
      const description = described.get(tag)?.description ?? ''
      return [{ tag, slug: tag.toLowerCase().replaceAll(' ', '-'), description, operations, objects: [] }]
    })
    return rooms.length === 0 ? [] : [{ name, rooms }]
  })
  const sections = groups.flatMap((group) => group.rooms)
  const homes = assignObjectsToSections(contract, sections)
  const byName = new Map(sections.map((section) => [section.tag, section]))
  return {
    contract,
    groups,
    sectionNamed: (slug) => sections.find((section) => section.slug === slug),
    sectionOf(operation) {
      const section = byName.get(getTag(operation))
      if (section === undefined)
        throw new Error(`Expected the tag of ${operation.id} to belong to a tag group in the contract.`)
      return section
    },
    objectAt(name) {
      const section = homes.get(name)
      return section && `${section.slug}#${name}`
    },
  }
}

/**
 * Assigns each object to the page of the first operation that returns the object itself. If there is none, uses the
 * first operation whose response contains the object.
 */
function assignObjectsToSections(
  contract: Contract,
  sections: readonly ReferenceSection[],
): Map<string, ReferenceSection> {
  const homes = new Map<string, ReferenceSection>()
  const settleAt = (section: ReferenceSection, schema: Schema | SchemaReference | undefined): void => {
    const name = schema === undefined ? null : findObjectName(contract, schema)
    if (name === null || homes.has(name)) return
    homes.set(name, section)
    section.objects.push(name)
  }
  for (const section of sections)
    for (const operation of section.operations) settleAt(section, findSuccessResponse(contract, operation)?.schema)
  for (const section of sections) {
    // The loop appends nested objects to the list that it iterates over. Each object is added only once.
    for (let at = 0; at < section.objects.length; at++) {
      const name = section.objects[at] ?? ''
      for (const inner of listOwnReferences(contract.document.components.schemas?.[name])) settleAt(section, inner)
    }
    for (const operation of section.operations)
      for (const inner of listOwnReferences(findSuccessResponse(contract, operation)?.schema)) settleAt(section, inner)
  }
  return homes
}

/** Returns the references in a schema, but not those in the schemas to which it refers. */
function listOwnReferences(value: unknown): SchemaReference[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value && typeof value.$ref === 'string' ? [{ $ref: value.$ref }] : []
  return [...own, ...Object.values(value).flatMap(listOwnReferences)]
}

/**
 * Returns the name of the object that a schema describes; null if the schema describes no named object. The schema can
 * be the object itself, a list of objects, or nullable.
 */
export function findObjectName(contract: Contract, schema: Schema | SchemaReference): string | null {
  const target = contract.resolve<Schema>(schema as Schema | SchemaReference)
  const { properties, anyOf, items } = target as {
    properties?: Record<string, Schema>
    anyOf?: Schema[]
    items?: Schema
  }
  const page = findPageItemSchema(contract, target)
  if (page !== null) return findObjectName(contract, page)
  if (properties !== undefined && typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? null
  if (items !== undefined) return findObjectName(contract, items)
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null')
  return only !== undefined && others.length === 0 ? findObjectName(contract, only) : null
}

/** Returns the schema of the items on a list page; null if the schema is not a list page. */
export function findPageItemSchema(contract: Contract, schema: Schema | SchemaReference): Schema | null {
  const { properties } = contract.resolve<Schema>(schema as Schema | SchemaReference) as {
    properties?: Record<string, Schema>
  }
  if (properties === undefined || !('nextCursor' in properties) || !('data' in properties)) return null
  return (properties.data as { items?: Schema } | undefined)?.items ?? null
}

export interface SuccessResponse {
  status: string
  description: string
  headers: readonly string[]
  type: string | undefined
  schema: Schema | SchemaReference | undefined
  examples: Record<string, { summary?: string; value: unknown }>
}

/** Returns the success response of an operation: the first response in the contract whose status is from 200 to 299. */
export function findSuccessResponse(contract: Contract, { declaration }: Operation): SuccessResponse | undefined {
  const found = Object.entries(declaration.responses).find(([status]) => status.startsWith('2'))
  if (found === undefined) return undefined
  const [status, declared] = found
  type Shown = { schema: Schema; examples?: Record<string, { summary?: string; value: unknown } | SchemaReference> }
  const { description, headers = {}, content = {} } = contract.resolve<ResponseObject>(declared)
  const [media] = Object.entries(content as Record<string, Shown>)
  const examples = Object.entries(media?.[1].examples ?? {}).map(
    ([name, example]) => [name, contract.resolve<{ summary?: string; value: unknown }>(example)] as const,
  )
  return {
    ...{ status, description, headers: Object.keys(headers) },
    ...{ type: media?.[0], schema: media?.[1].schema, examples: Object.fromEntries(examples) },
  }
}

export function getTag({ declaration }: Operation): string {
  return declaration.tags?.[0] ?? ''
}
