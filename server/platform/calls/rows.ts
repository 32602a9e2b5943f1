import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { components } from '../../../client/contract.gen.ts'
import { faultsOf } from '../problems/faults.ts'
import { withFormats } from '../problems/formats.ts'
import { invalid } from '../problems/problem.ts'
import type { Call } from './call.ts'
import type { Checked } from './checked.gen.ts'
import type { Contract } from './contract.ts'

export type RowSchema = keyof components['schemas'] & string
/** A row after validation, with its defaults. */
export type CheckedRow<Name extends RowSchema> = Name extends keyof Checked
  ? Checked[Name]
  : components['schemas'][Name]

/**
 * Returns a function that validates the rows of one request separately against a schema of the contract. With
 * best_effort the contract accepts any object as a row, so that one invalid row does not reject the request.
 */
export function rowChecker<Name extends RowSchema>(
  { surroundings }: Pick<Call, 'surroundings'>,
  name: Name,
): (row: unknown) => CheckedRow<Name> {
  const validate = compilerOf(surroundings.contract)(name)
  return (row) => {
    if (!validate(row)) {
      throw invalid(faultsOf(validate.errors ?? [], { pointer: (path) => path, noun: 'field of these rows' }))
    }
    return row as CheckedRow<Name>
  }
}

type Compiler = (name: RowSchema) => ValidateFunction

const compilers = new WeakMap<Contract, Compiler>()

function compilerOf(contract: Contract): Compiler {
  let compiler = compilers.get(contract)
  if (compiler === undefined) {
    const ajv = withFormats(new Ajv2020.default({ strict: false, allErrors: true, verbose: true, useDefaults: true }))
    ajv.addSchema({ components: contract.document.components }, DOCUMENT)
    const compiled = new Map<string, ValidateFunction>()
    compiler = (name) => {
      const validate = compiled.get(name) ?? ajv.compile({ $ref: `${DOCUMENT}#/components/schemas/${name}` })
      compiled.set(name, validate)
      return validate
    }
    compilers.set(contract, compiler)
  }
  return compiler
}

const DOCUMENT = 'contract'
