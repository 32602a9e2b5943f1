import { useQuery } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import type {
  Contract,
  ContractCreate,
  ContractType,
  CostCode,
  Option,
  Part,
  Plan,
} from '../../../client/contract.gen.ts'
import { fetchAllRows, useListPage } from '../../api/list-pages.ts'
import { Button } from '../../ui/button.tsx'
import {
  Field,
  FieldErrorAt,
  Form,
  readNumberField,
  readTextField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { Sheet, type SheetRowView } from '../../ui/sheet.tsx'
import { type CellErrors, createSheetRow, readCell, splitSheetError } from '../../ui/sheet-rows.ts'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordChoice } from '../actions/record-choice.tsx'
import { VendorField } from '../actions/vendor-field.tsx'
import { fetchParts, useKnownParts, usePartSuggestions } from '../catalogue/known-parts.ts'
import {
  type ContractContext,
  findLineErrorCell,
  findLumpSumErrorCell,
  indexByCode,
  isEmptyLine,
  isEmptyLumpSum,
  LINE_CELLS,
  LINE_COLUMNS,
  type LineColumn,
  type LineRow,
  type LumpSumColumn,
  type LumpSumRow,
  readLineRow,
  readLumpSumRow,
  SUM_CELLS,
  SUM_COLUMNS,
  toLineInput,
  toLineRows,
  toLumpSumInput,
  toLumpSumRows,
} from './contract-rows.ts'
import { CONTRACT_TYPE_WORDS, CONTRACT_TYPES } from './contract-words.ts'

/** The page size limit of one request. A builder has fewer trades. */
const MAX_TRADES = 200
/**
 * A builder has fewer plans, options, and cost codes. The user can still enter the IDs of records beyond this limit.
 */
const MAX_CODED = 2000

/** The terms that a new contract and a changed draft both accept. */
export type ContractTerms = Required<
  Pick<
    ContractCreate,
    | 'scope'
    | 'contractType'
    | 'communityIds'
    | 'planIds'
    | 'effectiveDate'
    | 'expirationDate'
    | 'preferred'
    | 'lines'
    | 'lumpSums'
    | 'notes'
    | 'accountingId'
  >
> &
  Pick<ContractCreate, 'retainagePercent'>

interface FormProps {
  /** The draft to change; null for a new contract. */
  contract: Contract | null
  /** The vendor of a new contract, from the URL of the page. */
  vendorId: string
  error: unknown
  isPending: boolean
  word: string
  onSubmit(vendorId: string, terms: ContractTerms): void
}

interface Coded {
  plans: readonly Plan[]
  options: readonly Option[]
  costCodes: readonly CostCode[]
  parts: readonly Part[]
}

/** Shows the form for the terms and prices of a contract, after loading the records to which its cells refer. */
export function ContractForm(props: FormProps) {
  const partIds = [...new Set((props.contract?.lines ?? []).map(({ partId }) => partId))]
  // The key is not a path, so that the list of the page's calls does not contain these requests.
  const coded = useQuery({
    queryKey: ['contract codes', props.contract?.id ?? ''],
    queryFn: async (): Promise<Coded> => {
      const [plans, options, costCodes, parts] = await Promise.all([
        fetchAllRows('/api/ext/plans', { sort: 'name' }, MAX_CODED),
        fetchAllRows('/api/ext/options', { sort: 'name' }, MAX_CODED),
        fetchAllRows('/api/ext/cost-codes', { sort: 'code' }, MAX_CODED),
        fetchParts(partIds),
      ])
      return { plans: plans.rows, options: options.rows, costCodes: costCodes.rows, parts }
    },
  })
  if (coded.error !== null)
    return <LoadError what="The contract" error={coded.error} onRetry={() => void coded.refetch()} />
  if (coded.data === undefined) return <SkeletonLines lines={8} />
  return <LoadedForm {...props} coded={coded.data} />
}

interface Entries {
  vendorId: string
  contractType: ContractType
  communityIds: readonly string[]
  planIds: readonly string[]
  lines: readonly LineRow[]
  sums: readonly LumpSumRow[]
}

function LoadedForm({
  contract,
  error,
  isPending,
  word,
  onSubmit,
  coded: given,
  ...props
}: FormProps & { coded: Coded }) {
  const { today } = useFormats()
  // Changes by other users in the meantime do not change the sheets.
  const [coded] = useState(given)
  const known = useMemo(
    () => ({
      plans: indexByCode(coded.plans),
      options: indexByCode(coded.options),
      costCodes: indexByCode(coded.costCodes),
    }),
    [coded],
  )
  const [initial] = useState<Entries>(() => {
    const parts = new Map(coded.parts.map((part) => [part.id, part]))
    const lines = contract === null ? [] : toLineRows(contract, { ...known, parts })
    const sums = contract === null ? [] : toLumpSumRows(contract, { ...known, parts })
    return {
      vendorId: contract?.vendorId ?? props.vendorId,
      contractType: contract?.contractType ?? 'unit_price',
      communityIds: contract?.communityIds ?? [],
      planIds: contract?.planIds ?? [],
      lines: lines.length > 0 ? lines : [createSheetRow()],
      sums: sums.length > 0 ? sums : [createSheetRow()],
    }
  })
  const [entered, setEntered] = useState(initial)
  const change = (changed: Partial<Entries>) => setEntered((before) => ({ ...before, ...changed }))
  const { vendorId, contractType, communityIds, planIds, lines, sums } = entered
  const entries = useMemo(
    () => ({ current: entered, isChanged: entered !== initial, restore: setEntered }),
    [entered, initial],
  )
  const isTurnkey = contractType === 'turnkey'
  const filledLines = useMemo(() => lines.filter((row) => !isEmptyLine(row)), [lines])
  const filledLumpSums = useMemo(() => (isTurnkey ? sums.filter((row) => !isEmptyLumpSum(row)) : []), [isTurnkey, sums])
  const { parts, isLookingUp } = useKnownParts(
    coded.parts,
    filledLines.map((row) => readCell(row, 'part')),
  )
  const context = useMemo<ContractContext>(() => ({ ...known, parts }), [known, parts])
  const [sent, setSent] = useState<{ lines: readonly LineRow[]; sums: readonly LumpSumRow[] }>({ lines: [], sums: [] })
  const ofLines = useMemo(() => splitSheetError(error, sent.lines, findLineErrorCell), [error, sent])
  const ofSums = useMemo(() => splitSheetError(ofLines.error, sent.sums, findLumpSumErrorCell), [ofLines, sent])
  const rejectedLines = keepUnchanged(ofLines.rejected, lines, sent.lines)
  const rejectedLumpSums = keepUnchanged(ofSums.rejected, sums, sent.sums)
  const [onlyErrors, setOnlyErrors] = useState(false)
  const withErrors =
    filledLines.filter((row) => hasErrors(readLineRow(row, context).errors) || rejectedLines.has(row.key)).length +
    filledLumpSums.filter((row) => hasErrors(readLumpSumRow(row, context).errors) || rejectedLumpSums.has(row.key))
      .length
  const trades = useListPage('/api/ext/scopes', { limit: MAX_TRADES, sort: 'sequence' }).data?.data
  const submit = (form: FormData) => {
    if (isLookingUp) return
    if (withErrors > 0) return setOnlyErrors(true)
    const retainagePercent = readNumberField(form, 'retainagePercent')
    setSent({ lines: filledLines, sums: filledLumpSums })
    onSubmit(vendorId, {
      scope: readTextField(form, 'scope') ?? '',
      contractType,
      communityIds: [...communityIds],
      planIds: isTurnkey ? [] : [...planIds],
      effectiveDate: readTextField(form, 'effectiveDate') ?? '',
      expirationDate: readTextField(form, 'expirationDate') ?? null,
      preferred: form.get('preferred') !== null,
      ...(retainagePercent !== undefined && { retainagePercent }),
      lines: filledLines.map((row) => toLineInput(row, context)),
      lumpSums: filledLumpSums.map((row) => toLumpSumInput(row, context)),
      notes: readTextField(form, 'notes') ?? null,
      accountingId: readTextField(form, 'accountingId') ?? null,
    })
  }
  return (
    <Form error={ofSums.error} entries={entries} onSubmit={submit}>
      <div className="stack">
        <Panel title="Terms">
          <div className="form">
            <div className="form-row">
              {contract === null && <VendorField value={vendorId} onChange={(id) => change({ vendorId: id })} />}
              <SelectField
                // A select ignores a value that its list does not contain yet, so it is rendered again once the trades
                // are loaded.
                key={trades === undefined ? 'loading' : 'loaded'}
                name="scope"
                label="Trade"
                defaultValue={contract?.scope ?? ''}
                options={[
                  { value: '', label: 'Choose one' },
                  ...(trades ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
                ]}
              />
              <SelectField
                name="contractType"
                label="Prices for"
                value={contractType}
                onChange={(value) =>
                  change({ contractType: CONTRACT_TYPES.find((type) => type === value) ?? contractType })
                }
                options={CONTRACT_TYPES.map((value) => ({ value, label: CONTRACT_TYPE_WORDS[value] }))}
              />
            </div>
            <div className="form-row">
              <Field name="communityIds" label="Communities" optional hint="If empty, the prices apply everywhere.">
                {(control) => (
                  <RecordChoice
                    control={control}
                    list={{ path: '/api/ext/communities', searches: true }}
                    value={communityIds}
                    isMultiple
                    onChange={(ids) => change({ communityIds: ids })}
                  />
                )}
              </Field>
              {!isTurnkey && (
                <Field name="planIds" label="Plans" optional hint="If empty, the prices apply to all plans.">
                  {(control) => (
                    <RecordChoice
                      control={control}
                      list={{ path: '/api/ext/plans', searches: true }}
                      value={planIds}
                      isMultiple
                      onChange={(ids) => change({ planIds: ids })}
                    />
                  )}
                </Field>
              )}
            </div>
            <div className="form-row">
              <TextField
                name="effectiveDate"
                label="Valid from"
                type="date"
                defaultValue={contract?.effectiveDate ?? today()}
              />
              <TextField
                name="expirationDate"
                label="Valid until"
                type="date"
                optional
                defaultValue={contract?.expirationDate ?? ''}
                hint="If empty, the prices do not expire."
              />
              <TextField
                name="retainagePercent"
                label="Retainage in percent"
                optional={contract === null}
                hint={
                  contract === null
                    ? 'Defaults to the retainage of the vendor.'
                    : 'Applies to orders from this contract.'
                }
                {...(contract !== null && { defaultValue: contract.retainagePercent })}
              />
            </div>
            <label className="check">
              <input type="checkbox" name="preferred" defaultChecked={contract?.preferred ?? true} />
              <span>
                Preferred<span className="hint"> The prices take precedence over lower prices.</span>
              </span>
            </label>
          </div>
        </Panel>
        {isTurnkey && (
          <Panel title="Lump sums" hint={formatCount(filledLumpSums.length, 'lump sum')} isFlush>
            <FieldErrorAt pointer="/lumpSums" />
            <SumSheet
              rows={sums}
              context={context}
              coded={coded}
              rejected={rejectedLumpSums}
              onlyErrors={onlyErrors && withErrors > 0}
              onChange={(sums) => change({ sums })}
            />
          </Panel>
        )}
        <Panel
          title={isTurnkey ? 'Prices of parts' : 'Prices'}
          hint={isTurnkey ? 'optional, for work outside the lump sums' : formatCount(filledLines.length, 'price')}
          isFlush
        >
          <FieldErrorAt pointer="/lines" />
          <LineSheet
            rows={lines}
            context={context}
            rejected={rejectedLines}
            onlyErrors={onlyErrors && withErrors > 0}
            onChange={(lines) => change({ lines })}
          />
        </Panel>
        <Panel title="Other terms">
          <div className="form">
            <TextAreaField name="notes" label="Notes" optional defaultValue={contract?.notes ?? ''} />
            <TextField name="accountingId" label="Accounting ID" optional defaultValue={contract?.accountingId ?? ''} />
          </div>
        </Panel>
      </div>
      <div className="save-bar">
        <span className="row wrap" aria-live="polite">
          {withErrors > 0 && (
            <>
              <span className="tone-bad">{formatCount(withErrors, 'line')} with errors</span>
              <Button small look="quiet" aria-pressed={onlyErrors} onClick={() => setOnlyErrors(!onlyErrors)}>
                {onlyErrors ? 'Show all lines' : 'Show only these'}
              </Button>
            </>
          )}
        </span>
        <Button look="primary" type="submit" busy={isPending} disabled={withErrors > 0 || isLookingUp}>
          {word}
        </Button>
      </div>
    </Form>
  )
}

function hasErrors(errors: CellErrors): boolean {
  return Object.keys(errors).length > 0
}

/** Returns the rejected rows that the user has not changed since. */
function keepUnchanged(
  rejected: ReadonlyMap<string, CellErrors>,
  rows: readonly (LineRow | LumpSumRow)[],
  sent: readonly (LineRow | LumpSumRow)[],
): ReadonlyMap<string, CellErrors> {
  const unchanged = new Set(sent.filter((row) => rows.includes(row)).map(({ key }) => key))
  return new Map([...rejected].filter(([key]) => unchanged.has(key)))
}

/** Returns a function that computes the view of a row once, until the row or what it depends on changes. */
function useRowViews<Row extends object, Name extends string>(
  compute: (row: Row, context: ContractContext) => SheetRowView<Name>,
  context: ContractContext,
): (row: Row) => SheetRowView<Name> {
  const views = useRef({ context, byRow: new WeakMap<Row, SheetRowView<Name>>() })
  if (views.current.context !== context) views.current = { context, byRow: new WeakMap() }
  const { byRow } = views.current
  return useCallback(
    (row) => {
      const view = byRow.get(row) ?? compute(row, context)
      byRow.set(row, view)
      return view
    },
    [byRow, compute, context],
  )
}

function LineSheet(props: {
  rows: readonly LineRow[]
  context: ContractContext
  rejected: ReadonlyMap<string, CellErrors>
  onlyErrors: boolean
  onChange(rows: readonly LineRow[]): void
}) {
  const { rows, context, rejected, onlyErrors, onChange } = props
  const [typed, setTyped] = useState('')
  const part = usePartSuggestions(useDeferredValue(typed))
  return (
    <Sheet
      id="prices"
      label="Prices of the contract"
      columns={LINE_COLUMNS}
      access={LINE_CELLS}
      viewOf={useRowViews(toLineView, context)}
      suggestions={{ part }}
      resultHead="For each"
      searchIn="Part"
      onType={setTyped}
      createRow={createSheetRow}
      {...{ rows, rejected, onlyErrors, onChange }}
    />
  )
}

function toLineView(row: LineRow, context: ContractContext): SheetRowView<LineColumn> {
  const { part, errors } = readLineRow(row, context)
  return { errors, ...(part !== null && { notes: { part: part.name }, result: part.unit }) }
}

function SumSheet(props: {
  rows: readonly LumpSumRow[]
  context: ContractContext
  coded: Coded
  rejected: ReadonlyMap<string, CellErrors>
  onlyErrors: boolean
  onChange(rows: readonly LumpSumRow[]): void
}) {
  const { rows, context, coded, rejected, onlyErrors, onChange } = props
  const toSuggestions = (records: readonly { code: string; name: string }[]) =>
    records.map(({ code, name }) => ({ value: code, label: name }))
  return (
    <Sheet
      id="sums"
      label="Lump sums of the contract"
      columns={SUM_COLUMNS}
      access={SUM_CELLS}
      viewOf={useRowViews(toLumpSumView, context)}
      suggestions={{
        plan: toSuggestions(coded.plans),
        option: toSuggestions(coded.options),
        costCode: toSuggestions(coded.costCodes),
      }}
      searchIn="Plan, option, or description"
      createRow={createSheetRow}
      {...{ rows, rejected, onlyErrors, onChange }}
    />
  )
}

function toLumpSumView(row: LumpSumRow, context: ContractContext): SheetRowView<LumpSumColumn> {
  const { plan, option, errors } = readLumpSumRow(row, context)
  const notes = {
    ...(plan !== undefined && { plan: plan.name }),
    ...(option !== undefined && { option: option.name }),
  }
  return { errors, notes }
}
