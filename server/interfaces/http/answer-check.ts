import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { Contract, Operation, ResponseObject } from '../../platform/calls/contract.ts'
import { COMPILED_FAST, withFormats } from '../../platform/problems/formats.ts'
import type { Answer } from './dispatch.ts'

/** Returns the compiled validator of the schema at a JSON pointer into the contract. */
export type ValidatorAt = (pointer: string) => ValidateFunction

export type AnswerCheck = (operation: Operation | null, answer: Answer) => void

/**
 * Checks every response against the contract before it is sent: an undeclared status, or a body that breaks its schema,
 * is our error. Turned on in the tests, so that each of them also tests the contract.
 *
 * @param validatorAt for callers that have already compiled the contract's schemas
 */
export function answerChecker(contract: Contract, validatorAt: ValidatorAt = compiling(contract)): AnswerCheck {
  const codes = contract.document['x-problems'] as Record<string, { members?: string[]; mayHave?: string[] }>

  /** The client has types for the members of each problem, so the members must be present. */
  function assertMembers({ status, text }: Answer): void {
    if (status < 400) return
    const problem = JSON.parse(text ?? 'null') as Record<string, unknown>
    const { members = [], mayHave = [] } = codes[String(problem.code)] ?? {}
    const known = new Set([...USUAL_MEMBERS, ...members, ...mayHave])
    const missing = members.filter((name) => !(name in problem))
    const unknown = Object.keys(problem).filter((name) => !known.has(name))
    if (missing.length + unknown.length > 0)
      throw new Error(
        `Expected the members of ${problem.code} to match x-problems (${[...missing, ...unknown]}): ${text}`,
      )
  }

  return (operation, answer) => {
    assertMembers(answer)
    const declared = operation?.declaration.responses[answer.status]
    // Until the operation is known, only the general schema of a problem applies.
    if (operation === null) return assertValid(validatorAt('/components/schemas/Problem'), answer, 'a problem')
    const what = `${operation.id} ${answer.status}`
    if (declared === undefined) throw new Error(`Expected the contract to declare ${what}: ${answer.text}`)
    const at =
      '$ref' in declared
        ? declared.$ref.slice(1)
        : `/paths/${step(operation.path)}/${operation.method.toLowerCase()}/responses/${answer.status}`
    const { content } = contract.resolve<ResponseObject>(declared)
    const [type] = Object.keys(content ?? {})
    if (type === undefined) {
      if (answer.text !== null) throw new Error(`Expected ${what} to have no body.`)
      return
    }
    if (answer.file !== undefined) {
      if (answer.type !== type) throw new Error(`Expected ${what} to have type ${type}, not ${answer.type}.`)
      return
    }
    if (answer.text === null) throw new Error(`Expected ${what} to have a body.`)
    if (type.endsWith('json')) assertValid(validatorAt(`${at}/content/${step(type)}/schema`), answer, what)
  }
}

function compiling({ document }: Contract): ValidatorAt {
  const ajv = withFormats(new Ajv2020.default({ strict: false, allErrors: true, ...COMPILED_FAST }))
  ajv.addSchema(document, 'contract')
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    let validate = compiled.get(pointer)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `contract#${pointer}` })
      compiled.set(pointer, validate)
    }
    return validate
  }
}

const USUAL_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'errors']

function assertValid(validate: ValidateFunction, answer: Answer, what: string): void {
  if (validate(JSON.parse(answer.text ?? 'null'))) return
  const faults = (validate.errors ?? []).map(
    (fault) => `${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`,
  )
  throw new Error(`Expected ${what} to match its schema: ${faults.join('; ')}\n${answer.text}`)
}

function step(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
