/** Checks that the contract's examples together are consistent and plausible. */
import { listBodies, listOperations, resolveReference } from './contract-walk.mjs'

/**
 * Fields that have the same name in the request and in the response but a different meaning. For example, `stage` is
 * the completed stage in the request and the next stage in the response. When a vendor replies to a message, the
 * response contains the reply, not the message in the path.
 */
const UNRELATED_FIELDS = { advanceSalePipeline: ['stage'], replyToPortalMessage: ['id'] }

/**
 * Returns whether a field may differ. The version in a request is the version before the change, and in a text with
 * {{…}}, the response contains the values of the placeholders.
 */
const isExpectedDifference = (field, sent) => field === 'version' || (typeof sent === 'string' && sent.includes('{{'))

/** Checks that each example request has a matching example response, and that a read returns the record in its path. */
export function* checkExamplesAgree(document) {
  for (const { operation, method, parameters, at } of listOperations(document)) {
    const named = parameters.filter((parameter) => parameter.in === 'path' && parameter.example !== undefined)
    const answers = [...listAnswers(document, operation, at)]
    if (answers.length === 0) continue
    const differences = (sent, answer) => [...listDifferences(document, operation.operationId, named, sent, answer)]
    if (method === 'get') {
      const [first] = answers
      for (const field of differences({}, first))
        yield [first.at, `Expected the first example to have the same ${field} as the path parameter.`]
      continue
    }
    for (const { name, value, at: place } of listRequests(document, operation, at)) {
      const [fewest = []] = answers.map((answer) => differences(value, answer)).sort((a, b) => a.length - b.length)
      if (fewest.length > 0)
        yield [
          place,
          `No example response matches the example request ${name}. The most similar response differs in ${fewest.join(', ')}.`,
        ]
    }
  }
}

/** Checks that totals in examples equal the sum of their parts. */
export function* checkExampleSums(document) {
  for (const [name, example] of Object.entries(document.components?.examples ?? {}))
    yield* wrongSums(example?.value, ['components', 'examples', name, 'value'])
  for (const { operation, at } of listOperations(document)) {
    for (const { value, at: place } of listRequests(document, operation, at)) yield* wrongSums(value, place)
    for (const { value, at: place } of listAnswers(document, operation, at)) yield* wrongSums(value, place)
  }
}

function* wrongSums(value, at) {
  if (typeof value !== 'object' || value === null) return
  for (const [field, is, shouldBe] of sumsIn(value))
    if (cents(is) !== cents(shouldBe))
      yield [at, `Expected the ${field} of the example to be ${shouldBe}, the sum of its parts, not ${is}.`]
  for (const inner of Object.values(value)) yield* wrongSums(inner, at)
}

/** Yields each total in an object: its field, its value, and the sum of its parts. */
function* sumsIn({ lines, subtotal, taxTotal, total, ...rest }) {
  if (has({ quantity: rest.quantity, unitPrice: rest.unitPrice, total, taxAmount: rest.taxAmount }))
    yield ['total', total, Math.sign(total) * (Math.round(Math.abs(rest.quantity * rest.unitPrice) * 100) / 100)]
  if (has({ subtotal, taxTotal, total })) {
    yield ['total', total, subtotal + taxTotal]
    if (Array.isArray(lines) && lines.every((line) => has({ total: line.total, taxAmount: line.taxAmount }))) {
      yield ['subtotal', subtotal, lines.reduce((sum, line) => sum + line.total, 0)]
      yield ['taxTotal', taxTotal, lines.reduce((sum, line) => sum + line.taxAmount, 0)]
    }
  }
  const { grossAmount, retainageWithheld, discountTaken, backupWithheld, amount, allocations } = rest
  if (has({ grossAmount, retainageWithheld, discountTaken, backupWithheld, amount })) {
    yield ['amount', amount, grossAmount - retainageWithheld - discountTaken - backupWithheld]
    yield ['grossAmount', grossAmount, allocations.reduce((sum, part) => sum + part.amount, 0)]
  }
}

function has(amounts) {
  return Object.values(amounts).every((amount) => typeof amount === 'number')
}

function cents(amount) {
  return Math.round(amount * 100)
}

function* listRequests(document, operation, at) {
  const { examples = {} } = resolveReference(document, operation.requestBody)?.content?.['application/json'] ?? {}
  const place = [...at, 'requestBody', 'content', 'application/json', 'examples']
  const named = Object.entries(examples)
  for (const [name, example] of named)
    yield { name, value: resolveReference(document, example).value, at: [...place, name] }
  if (named.length === 0) yield { name: 'without a body', value: {}, at }
}

function* listAnswers(document, operation, at) {
  for (const [status, reference] of Object.entries(operation.responses ?? {})) {
    if (status >= '300') continue
    const media = resolveReference(document, reference)?.content?.['application/json']
    for (const [name, example] of Object.entries(media?.examples ?? {})) {
      const value = resolveReference(document, example)?.value
      if (typeof value !== 'object' || value === null) continue
      const place = [...at, 'responses', status, 'content', 'application/json', 'examples', name]
      yield { value, status, schema: resolveReference(document, media.schema), at: place }
    }
  }
}

/** Yields the fields of a response that contradict its path or its request. */
function* listDifferences(document, operationId, named, sent, { value, status, schema }) {
  const others = UNRELATED_FIELDS[operationId] ?? []
  for (const { name, example } of named) {
    const field = name in value ? name : 'id'
    const shown = value[field]
    // A record that is created below a path has an ID of its own.
    if (field === 'id' && (status === '201' || idKind(shown) !== idKind(example) || others.includes('id'))) continue
    if (shown !== example) yield field
  }
  if (Array.isArray(sent)) return
  for (const [field, one] of Object.entries(sent)) {
    if (!(field in value) || others.includes(field) || isExpectedDifference(field, one)) continue
    // If the record cannot have this status, it is the status of a part of the record.
    const { enum: possible } = resolveReference(document, schema?.properties?.[field]) ?? {}
    if (possible && !possible.includes(one)) continue
    if (!isReflected(one, value[field])) yield field
  }
}

function idKind(id) {
  return typeof id === 'string' ? id.split('_')[0] : undefined
}

/**
 * Returns whether the sent value is part of the shown value, which may have more fields, for example with default
 * values.
 */
function isReflected(sent, shown) {
  if (Array.isArray(sent)) {
    if (sent.length === 0) return (shown ?? []).length === 0
    return Array.isArray(shown) && sent.every((item) => shown.some((other) => isReflected(item, other)))
  }
  if (typeof sent !== 'object' || sent === null) return sent === shown || isSameInstant(sent, shown)
  if (typeof shown !== 'object' || shown === null) return false
  return Object.entries(sent).every(
    ([field, one]) => !(field in shown) || isExpectedDifference(field, one) || isReflected(one, shown[field]),
  )
}

function isSameInstant(one, other) {
  const isInstant = (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)
  return isInstant(one) && isInstant(other) && Date.parse(one) === Date.parse(other)
}

/** Checks that no example was updated before it was created. */
export function* checkTimestampOrder(document) {
  for (const { media, at } of listBodies(document)) {
    for (const [name, example] of Object.entries(media.examples ?? {})) {
      for (const { createdAt, updatedAt } of listRecords(resolveReference(document, example)?.value)) {
        if (createdAt > updatedAt)
          yield [
            [...at, 'examples', name],
            `Expected updatedAt (${updatedAt}) not to be before createdAt (${createdAt}).`,
          ]
      }
    }
  }
}

function* listRecords(value) {
  if (typeof value !== 'object' || value === null) return
  if (typeof value.createdAt === 'string' && typeof value.updatedAt === 'string') yield value
  for (const inner of Object.values(value)) yield* listRecords(inner)
}

/** Checks that each example of an event has its own ID and a timestamp that matches its record. */
export function* checkEventExamples(document) {
  const typesOf = new Map()
  for (const [type, { post }] of Object.entries(document.webhooks ?? {})) {
    const at = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'examples']
    for (const [name, example] of Object.entries(post?.requestBody?.content?.['application/json']?.examples ?? {})) {
      const { id, timestamp, data } = resolveReference(document, example)?.value ?? {}
      const place = [...at, name]
      const other = typesOf.get(id)
      if (other !== undefined) yield [place, `The example ${other} has the same event ID, ${id}. Use another ID.`]
      typesOf.set(id, type)
      const { createdAt, updatedAt } = data?.object ?? {}
      if (updatedAt > timestamp)
        yield [
          place,
          `Expected the timestamp of the event (${timestamp}) not to be before the updatedAt of its record (${updatedAt}).`,
        ]
      if (type.endsWith('.created') && createdAt !== timestamp)
        yield [
          place,
          `Expected the timestamp of the event (${timestamp}) to equal the createdAt of the created record (${createdAt}).`,
        ]
    }
  }
}

/** Checks that each example of a problem belongs to an operation that can return this problem. */
export function* checkProblemInstances(document) {
  const pathsOf = new Map()
  for (const { path, operation } of listOperations(document)) {
    for (const reference of Object.values(operation.responses ?? {})) {
      const media = resolveReference(document, reference)?.content?.['application/problem+json']
      for (const example of Object.values(media?.examples ?? {})) {
        const problem = resolveReference(document, example)
        pathsOf.set(problem, (pathsOf.get(problem) ?? new Set()).add(path))
      }
    }
  }
  for (const [{ value }, paths] of pathsOf) {
    const met = [...paths].some((path) => toPathPattern(path).test(value.instance))
    if (!met)
      yield [
        ['x-problems', value.code, 'example'],
        `No operation at ${value.instance} returns ${value.code}. Correct the instance of the example.`,
      ]
  }
}

function toPathPattern(path) {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
