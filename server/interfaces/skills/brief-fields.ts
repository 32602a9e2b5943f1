import type { Schema } from '../../platform/calls/contract.ts'

/**
 * Returns the fields that the contract marks with `x-brief`, by the path of the records that contain them, such as
 * `/data/*`. The schema must not contain references.
 */
export function listBriefFields(schema: Schema, at = ''): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  if (Array.isArray(schema['x-brief'])) found.set(at, schema['x-brief'] as string[])
  const inner: [Schema, string][] = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, property]) => [property, `${at}/${name}`],
  )
  if (typeof schema.items === 'object' && schema.items !== null) inner.push([schema.items as Schema, `${at}/*`])
  for (const keyword of ['anyOf', 'oneOf'])
    for (const alternative of (schema[keyword] ?? []) as Schema[]) inner.push([alternative, at])
  for (const [below, place] of inner)
    for (const [path, fields] of listBriefFields(below, place)) found.set(path, fields)
  return found
}
