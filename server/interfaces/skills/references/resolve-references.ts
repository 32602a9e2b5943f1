import { sql } from 'kysely'
import type { FieldError, Problem as ProblemBody } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { Problem, problem } from '../../../platform/problems/problem.ts'
import { listSimilarNames } from '../../../platform/problems/similar-names.ts'
import type { RecordReads } from '../../../platform/resources/record-reads.ts'
import { NAMED_KINDS, type NamedKind } from './named-kinds.ts'

/**
 * Replaces numbers and exact names of records with IDs, in every input field that accepts an ID. For composite skills,
 * also checks that given IDs exist, because a report about a missing record would just be empty. Operations check IDs
 * themselves.
 */
export async function resolveReferences(
  call: Call,
  input: Record<string, unknown>,
  { alsoIds }: { alsoIds: boolean },
): Promise<void> {
  const uses = [...findReferenceUses(input, '/input')].filter(({ text }) => alsoIds || !IS_ID.test(text))
  if (uses.length === 0) return
  if (uses.length > MAX_REFERENCES) {
    throw problem(
      'too_much_work',
      `An input can refer to at most ${MAX_REFERENCES} records by name. Use fewer names, or use IDs.`,
    )
  }
  for (const kind of new Set(uses.map((use) => use.kind))) {
    const ofKind = uses.filter((use) => use.kind === kind)
    if (!call.permissions.has(kind.permission)) {
      if (!alsoIds) continue
      throw new Problem('permission_denied', `Referring to a ${kind.noun} by name requires ${kind.permission}.`, {
        permission: kind.permission,
      })
    }
    const found = await findCandidates(call, kind, [...new Set(ofKind.map(({ text }) => text))])
    for (const use of ofKind) {
      const id = await resolveReference(call, use, found.get(use.text) ?? [])
      call.reads?.noteName(kind.noun, use.text, id)
      use.set(id)
    }
  }
}

/** Returns the input, or the steps of a batch, with the resolved names replaced by IDs. */
export function replaceResolvedNames(input: Record<string, unknown>, reads: RecordReads): Record<string, unknown> {
  const resolved = structuredClone(input)
  for (const { kind, text, set } of findReferenceUses(resolved, '')) set(reads.namedBy(kind.noun, text) ?? text)
  return resolved
}

const IS_ID = /^[a-z]{2,6}_[0-9a-z]{26}$/

/** The maximum number of references in an input. No skill needs more, and one statement can find all of them. */
const MAX_REFERENCES = 500

interface ReferenceUse {
  kind: NamedKind
  pointer: string
  text: string
  set(id: string): void
}

const KIND_BY_FIELD = new Map(
  NAMED_KINDS.flatMap((kind) => kind.fields.flatMap((field) => [[field, kind] as const, [`${field}s`, kind] as const])),
)

/** Yields every value in the input, at any depth, that refers to a record of a named kind. */
function* findReferenceUses(value: unknown, pointer: string): Generator<ReferenceUse> {
  if (typeof value !== 'object' || value === null) return
  for (const [field, inner] of Object.entries(value)) {
    const kind = Array.isArray(value) ? undefined : KIND_BY_FIELD.get(field)
    if (kind === undefined) yield* findReferenceUses(inner, `${pointer}/${field}`)
    else if (Array.isArray(inner))
      yield* Object.keys(inner).flatMap((index) => [...readReferenceUse(inner, index, kind, `${pointer}/${field}`)])
    else yield* readReferenceUse(value, field, kind, pointer)
  }
}

function* readReferenceUse(holder: object, key: string, kind: NamedKind, pointer: string): Generator<ReferenceUse> {
  const fields = holder as Record<string, unknown>
  const text = fields[key]
  if (typeof text !== 'string') return
  yield { kind, pointer: `${pointer}/${key}`, text, set: (id) => (fields[key] = id) }
}

interface Candidate {
  id: string
  label: string
  about: string | null
}

/** Returns, for each text, the rows to which it may refer. */
async function findCandidates(call: Call, kind: NamedKind, texts: string[]): Promise<Map<string, Candidate[]>> {
  const readings = texts.flatMap((text) => listReadings(text, kind))
  const isCalled = sql.raw(`(${kind.called.map((name) => `${name} = g."name"`).join(' or ')})`)
  const isThere = sql.raw(`(${(kind.within ?? []).map((place) => `${place} = g."place"`).join(' or ') || 'false'})`)
  const alone = sql.raw(kind.needsPlace === true ? 'false' : 'g."place" is null')
  const candidate = sql.raw(
    `t."id", ${kind.label} as "label", left(${kind.about ?? 'null'}, ${MAX_ABOUT_LENGTH}) as "about" from ${kind.from}`,
  )
  const { rows } = await sql<Candidate & { text: string }>`
    select distinct g."text", f."id", f."label", f."about"
    from unnest(${readings.map(({ text }) => text)}::text[], ${readings.map(({ name }) => name)}::text[],
      ${readings.map(({ place }) => place)}::text[]) as g ("text", "name", "place")
    cross join lateral (
      select ${candidate}
      where t."organizationId" = ${call.organizationId} and t."id" = g."text" and g."place" is null
      union all
      (select ${candidate}
      where t."organizationId" = ${call.organizationId} and ${isCalled} and ${sql.raw(kind.where)}
        and (${alone} or (g."place" is not null and ${isThere}))
      limit ${MAX_CANDIDATES})
    ) as f
    order by f."label", f."id"`.execute(call.db)
  const byText = new Map<string, Candidate[]>()
  for (const { text, ...candidate } of rows) byText.set(text, [...(byText.get(text) ?? []), candidate])
  return byText
}

interface NameReading {
  text: string
  name: string
  place: string | null
}

/**
 * Returns the possible interpretations of a text. The whole text may be a name. Any comma may also separate a name from
 * a place, because names and places can contain commas.
 */
function listReadings(text: string, { within }: NamedKind): NameReading[] {
  const parts = within === undefined ? [text] : text.split(', ', MAX_PARTS)
  const placed = parts.slice(1).map((_, i): NameReading => {
    const name = parts.slice(0, i + 1).join(', ')
    return { text, name, place: text.slice(name.length + 2) }
  })
  return [{ text, name: text, place: null }, ...placed]
}

/** The maximum number of parts between commas. Names that users enter have fewer. */
const MAX_PARTS = 5

/**
 * The maximum number of candidates, which is small enough for a user to choose from. If there are more, the user must
 * add the place.
 */
const MAX_CANDIDATES = 10
/** The maximum length of a candidate's `about`. The contract declares the same limit. */
const MAX_ABOUT_LENGTH = 400

async function resolveReference(call: Call, use: ReferenceUse, candidates: readonly Candidate[]): Promise<string> {
  const { kind, pointer, text } = use
  const [only, ...others] = candidates
  if (only === undefined) throw await unknownReferenceProblem(call, use)
  if (others.length === 0) return only.id
  const shown = candidates.slice(0, MAX_CANDIDATES)
  const labels = shown.map(({ label, about }) => (about ? `${label} (${about})` : label)).join('; ')
  throw problem('ambiguous_reference', `More than one ${kind.noun} matches "${text}": ${labels}. Use an ID.`, {
    errors: [toFieldError(pointer, 'ambiguous_reference', `matches more than one ${kind.noun}; received "${text}"`)],
    candidates: shown,
  })
}

async function unknownReferenceProblem(call: Call, { kind, pointer, text }: ReferenceUse): Promise<Problem> {
  const nearest = IS_ID.test(text) ? [] : await findNearestNames(call, kind, text)
  const instead = nearest.length === 0 ? '' : ` Did you mean ${nearest.join('; ')}?`
  return problem('unknown_reference', `Unknown ${kind.noun} "${text}".${instead}`, {
    errors: [
      toFieldError(
        pointer,
        'unknown_reference',
        `does not match any ${kind.noun} in your organization; received "${text}"`,
      ),
    ],
    ...(nearest.length > 0 && { nearest }),
  })
}

function toFieldError(pointer: string, code: string, message: string): FieldError {
  return { pointer, code, message }
}

async function findNearestNames(
  call: Call,
  kind: NamedKind,
  text: string,
): Promise<NonNullable<ProblemBody['nearest']>> {
  const { rows } = await sql<{ label: string }>`
    select ${sql.raw(kind.label)} as "label" from ${sql.raw(kind.from)}
    where t."organizationId" = ${call.organizationId} and ${sql.raw(kind.where)}
    order by t."id" desc limit ${MAX_COMPARED}`.execute(call.db)
  const labels = rows.map(({ label }) => label.slice(0, MAX_NAME_LENGTH))
  return listSimilarNames(text, labels, MAX_SUGGESTIONS, { onlyAlike: true })
}

/** The maximum number of records to compare, newest first. Comparing them takes a few milliseconds. */
const MAX_COMPARED = 2000
const MAX_SUGGESTIONS = 3
/** The maximum length of a name in a problem's `nearest`. The contract declares the same limit. */
const MAX_NAME_LENGTH = 100
