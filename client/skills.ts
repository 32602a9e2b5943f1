import type { Data } from './calls.ts'
import type { Execution, operations } from './contract.gen.ts'
import type { CompositeSkills, OperationSkill } from './skills.gen.ts'

/**
 * The skills that `execute` can run, by name: the composite skills, and every operation that an API key can call. The
 * input of an operation is one flat object with its path parameters, query parameters, and body fields. The If-Match
 * header is the field `ifMatch`.
 */
export type Skills = { [Id in OperationSkill]: Operation<Id> } & CompositeSkills
export type SkillName = keyof Skills
export type SkillInput<Name extends SkillName> = Skills[Name]['input']
export type SkillResult<Name extends SkillName> = Skills[Name]['result']

/** The outcome of a skill, with the type of its result. */
export type ExecutionOf<Name extends SkillName> = Omit<Execution, 'skill' | 'result'> & {
  skill: Name
  result: SkillResult<Name>
}

export interface ExecuteOptions {
  /**
   * Whether to perform the skill and then roll it back. The response shows the result and the events that the skill
   * would have produced.
   */
  dryRun?: boolean
  /** The idempotency key of the call. By default, each call generates a new key. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** Makes the `input` argument optional if none of its fields is required. */
export type ExecuteArguments<Name extends SkillName> =
  Record<never, never> extends SkillInput<Name>
    ? [input?: SkillInput<Name>, options?: ExecuteOptions]
    : [input: SkillInput<Name>, options?: ExecuteOptions]

interface Operation<Id extends keyof operations> {
  input: Flat<Parameter<Id, 'path'> & Parameter<Id, 'query'> & Body<operations[Id]> & IfMatch<Id>>
  // In a JSON response, a file is encoded as base64.
  result: Data<operations[Id]> extends undefined
    ? null
    : Data<operations[Id]> extends Blob
      ? string
      : Data<operations[Id]>
}

type Parameter<Id extends keyof operations, Where extends 'path' | 'query'> = [
  NonNullable<operations[Id]['parameters'][Where]>,
] extends [never]
  ? unknown
  : NonNullable<operations[Id]['parameters'][Where]>

type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : Operation extends { requestBody?: infer R }
    ? [NonNullable<R>] extends [never]
      ? unknown
      : NonNullable<R> extends { content: { 'application/json': infer B } }
        ? Partial<B>
        : unknown
    : unknown

type IfMatch<Id extends keyof operations> = operations[Id]['parameters'] extends { header?: infer H }
  ? 'If-Match' extends keyof NonNullable<H>
    ? { ifMatch?: string }
    : unknown
  : unknown

// Flattens the type, so that an editor shows the fields instead of an intersection of types.
type Flat<T> = { [Field in keyof T]: T[Field] }
