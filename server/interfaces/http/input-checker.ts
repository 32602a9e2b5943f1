import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { FieldError } from '../../../client/contract.gen.ts'
import type { Contract, Operation, ParameterObject, Schema } from '../../platform/calls/contract.ts'
import { findAcceptingOperation } from '../../platform/calls/field-hints.ts'
import { type CheckedInput, toFieldErrors } from '../../platform/problems/field-errors.ts'
import { FAST_COMPILATION, hasTooManyDecimals, registerFormats } from '../../platform/problems/formats.ts'
import { getMinorUnits } from '../../platform/values/minor-units.ts'

/** The input of an operation: its path parameters, query parameters, and body. */
export interface Input {
  path: Record<string, string>
  query: Record<string, unknown>
  body: unknown
}

/**
 * Checks an input object against the contract's schemas. This is the only check for skills and other calls within the
 * process. It is also the second check for a request that the library's validator rejects, because the library
 * describes errors only as text, and a useful message needs the violated rule.
 */
export interface InputChecker {
  /**
   * Returns the errors in an input whose values already have the right types, and fills in defaults. Checks the
   * decimals of amounts if a currency is given.
   */
  check(operation: Operation, input: Input, currency?: string): FieldError[]
  /**
   * Returns an error for each amount in a valid input that has more decimals than the currency allows. Returns only the
   * first error if `isLarge` is true.
   */
  checkDecimals(operation: Operation, input: Input, amounts: { currency: string; isLarge: boolean }): FieldError[]
  /**
   * Returns the errors in a request's input, whose parameters are still text. Also returns the query with converted
   * values and defaults. Checks the decimals of amounts in the body if a currency is given.
   */
  read(
    operation: Operation,
    sent: SentParts,
    currency?: string,
  ): { faults: FieldError[]; query: Record<string, unknown> }
  /**
   * Returns only the first error in a body, because finding all errors may take too long; undefined if there is no
   * error.
   */
  firstFault(operation: Operation, body: unknown): FieldError | undefined
}

export interface SentParts {
  query: Record<string, unknown>
  headers: Record<string, unknown>
  body: unknown
}

export function createInputChecker(contract: Contract): InputChecker {
  const typed = createPartCompiler(contract, { coerceTypes: false })
  const asText = createPartCompiler(contract, { coerceTypes: true })
  const untilFirst = createPartCompiler(contract, { coerceTypes: false, allErrors: false })
  const strict = new Map<string, PartCompiler>()

  /** Compiles these schemas only when needed. Few requests have an amount with too many decimals. */
  function strictFor(moneyDecimals: number, allErrors: boolean): PartCompiler {
    const key = `${moneyDecimals} ${allErrors}`
    const compiler = strict.get(key) ?? createPartCompiler(contract, { coerceTypes: false, allErrors, moneyDecimals })
    strict.set(key, compiler)
    return compiler
  }

  /** Returns how messages refer to a part of the input: the pointer to a field and the name of the field. */
  function subject(operation: Operation, part: Part): CheckedInput {
    if (part !== 'body') return { pointer: parameterNameAt, noun: 'parameter of this operation' }
    const setter = (name: string) => findAcceptingOperation(contract, operation, name)
    return { pointer: (path) => path, noun: 'field of this operation', setter }
  }

  function errors(
    compiled: PartCompiler,
    operation: Operation,
    part: Part,
    value: unknown,
    of: object = {},
  ): FieldError[] {
    const validate = compiled(operation, part)
    return validate(value) ? [] : toFieldErrors(validate.errors ?? [], { ...subject(operation, part), ...of })
  }

  /**
   * Returns the errors in a body. If a currency is given, an amount with more decimals than the currency allows is also
   * an error.
   */
  function bodyFaults(operation: Operation, body: unknown, currency: string | undefined): FieldError[] {
    if (!operation.takesBody) return []
    if (currency === undefined || !hasTooManyDecimals(body, currency)) return errors(typed, operation, 'body', body)
    return errors(strictFor(getMinorUnits(currency), true), operation, 'body', body, { currency })
  }

  function read(operation: Operation, { query, headers, body }: SentParts, currency?: string) {
    const declared = Object.keys(parameterSchema(contract, operation, 'query').properties)
    const empty = declared.filter((name) => query[name] === '')
    const others = Object.fromEntries(Object.entries(query).filter(([name]) => !empty.includes(name)))
    const found = [
      ...empty.map((name) => ({ pointer: name, code: 'invalid', message: 'must not be empty' })),
      // This check also converts the parameters from text to typed values.
      ...errors(asText, operation, 'query', others),
      ...errors(asText, operation, 'header', headers),
      ...bodyFaults(operation, body, currency),
    ]
    return { faults: found, query: others }
  }

  return {
    read,
    check(operation, { path, query, body }, currency) {
      const missing = Object.entries(path).filter(([, value]) => typeof value !== 'string' || value === '')
      return [
        ...missing.map(([name]) => ({ pointer: name, code: 'required', message: 'is required' })),
        ...errors(typed, operation, 'query', query),
        ...bodyFaults(operation, body, currency),
      ]
    },
    checkDecimals(operation, { query, body }, { currency, isLarge }) {
      const strict = strictFor(getMinorUnits(currency), !isLarge)
      return [
        ...(hasTooManyDecimals(query, currency) ? errors(strict, operation, 'query', query, { currency }) : []),
        ...(operation.takesBody && hasTooManyDecimals(body, currency)
          ? errors(strict, operation, 'body', body, { currency })
          : []),
      ]
    },
    firstFault(operation, body) {
      return errors(untilFirst, operation, 'body', body)[0]
    },
  }
}

/** Returns the name of a parameter as the client sent it. In errors, this name replaces the JSON pointer. */
function parameterNameAt(path: string): string {
  return path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
}

type Part = 'query' | 'header' | 'body'
type PartCompiler = (operation: Operation, part: Part) => ValidateFunction

/** Compiles the schema of a part of the input at its first use, because most schemas are never used. */
function createPartCompiler(
  contract: Contract,
  { moneyDecimals, ...options }: { coerceTypes: boolean; allErrors?: boolean; moneyDecimals?: number },
): PartCompiler {
  let ajv: InstanceType<typeof Ajv2020.default> | undefined
  const compiled = new Map<string, ValidateFunction>()

  function compile(schema: Schema): ValidateFunction {
    if (ajv === undefined) {
      ajv = registerFormats(
        new Ajv2020.default({
          strict: false,
          allErrors: true,
          verbose: true,
          useDefaults: true,
          ...FAST_COMPILATION,
          ...options,
        }),
        moneyDecimals,
      )
      ajv.addSchema({ components: contract.document.components }, DOCUMENT)
    }
    return ajv.compile(resolveReferencesIn(schema))
  }

  return (operation, part) => {
    const key = `${operation.id} ${part}`
    let validate = compiled.get(key)
    if (validate === undefined) {
      validate = compile(part === 'body' ? bodySchema(operation) : parameterSchema(contract, operation, part))
      compiled.set(key, validate)
    }
    return validate
  }
}

const DOCUMENT = 'contract'

/**
 * Rewrites the references in a schema. They are relative to the document; the rewritten references point into the
 * contract.
 */
function resolveReferencesIn(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === '$ref' ? `${DOCUMENT}${value}` : value)) as Schema
}

function bodySchema({ declaration }: Operation): Schema {
  return declaration.requestBody?.content['application/json']?.schema ?? {}
}

/** Returns an object schema that combines all query parameters or all headers. */
function parameterSchema(contract: Contract, operation: Operation, part: 'query' | 'header') {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where, schema, ...parameter } = contract.resolve<ParameterObject>(declared)
    if (where !== part) continue
    const key = part === 'header' ? name.toLowerCase() : name
    // Copies the default into the schema, because the validator does not look for defaults behind references.
    properties[key] = { ...contract.resolve<Schema>(schema), ...omitReference(schema) }
    if (parameter.required === true) required.push(key)
  }
  return { type: 'object', properties, required, additionalProperties: part === 'header' }
}

function omitReference({ $ref: _followed, ...beside }: Schema): Schema {
  return beside
}
