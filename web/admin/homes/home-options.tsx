import { useDeferredValue, useState } from 'react'
import type { Home, Option, Selection } from '../../../client/contract.gen.ts'
import { parseTypedNumber } from '../../../server/platform/values/typed-number.ts'
import { createWorkCalendar } from '../../../server/platform/values/workdays.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatPercent } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { describeCutoff } from '../catalogue/cutoff.ts'
import { needsOverride, OverrideField } from './override-field.tsx'

/** The page size limit of one request. Few plans have more options. */
const MAX_OPTIONS = 200
/** The page size limit of one request. A builder has fewer trades. */
const MAX_SCOPES = 200

/** Lists the options that can still be chosen for a home, and lets the user choose one or add a custom item. */
export function HomeOptions(props: {
  home: Home
  /** The selections of the home; undefined while they load. */
  selections: readonly Selection[] | undefined
  today: string
}) {
  const { home, selections, today } = props
  const can = useCan()
  const { day, money } = useFormats()
  const [chosen, setChosen] = useState<Option | 'custom' | null>(null)
  const options = useListPage('/api/ext/options', {
    ...{ status: 'active', sort: 'name', limit: MAX_OPTIONS, communityId: home.communityId },
    ...(home.planId !== null && { planId: home.planId }),
  })
  const calendar = plumbline.useQuery('get', '/api/ext/communities/{communityId}', {
    params: { path: { communityId: home.communityId } },
  })
  const live = (selections ?? []).filter(({ status }) => status !== 'declined' && status !== 'cancelled')
  const taken = new Set(live.map(({ optionId }) => optionId))
  const approved = new Set(live.filter(({ status }) => status !== 'pending').map(({ optionId }) => optionId))
  const rows =
    selections === undefined
      ? undefined
      : options.data?.data.filter(({ id, planIds }) => !taken.has(id) && (home.planId !== null || planIds.length === 0))
  const names = new Map(options.data?.data.map(({ id, code }) => [id, code]))
  const deadlineOf = ({ cutoffDaysBeforeStart: days }: Option) =>
    days === null || home.startDate === null || calendar.data === undefined
      ? null
      : createWorkCalendar(calendar.data).add(home.startDate, -days)
  const columns: readonly Column<Option>[] = [
    {
      head: 'Option',
      cell: (option) => (
        <>
          <span className="lead">{option.name}</span>
          <span className="sub">
            {option.code}
            <OptionRules {...{ option, approved, names }} />
          </span>
        </>
      ),
    },
    {
      head: 'Category',
      isWideOnly: true,
      cell: ({ category, optionType }) => category ?? humanizeName(optionType),
    },
    {
      head: 'Choose by',
      cell: (option) => {
        const deadline = deadlineOf(option)
        if (deadline === null) return describeCutoff(option)
        return (
          <>
            {day(deadline)}
            <span className={deadline < today ? 'sub tone-bad' : 'sub'}>
              {deadline < today ? 'deadline passed' : describeCutoff(option)}
            </span>
          </>
        )
      },
    },
    {
      head: 'Price',
      numeric: true,
      cell: ({ price, marginPercent, unit }) => (
        <>
          {price !== null
            ? money(price)
            : marginPercent === null
              ? 'at cost'
              : `${formatPercent(marginPercent)} margin`}
          {unit !== 'EA' && <span className="sub">per {unit}</span>}
        </>
      ),
    },
    ...(can('options:write')
      ? [
          {
            head: 'Actions',
            className: 'num',
            cell: (option: Option) => (
              <Button small onClick={() => setChosen(option)}>
                Choose<span className="sr"> {option.name}</span>
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Options to choose"
      isFlush
      {...(options.data !== undefined &&
        options.data.nextCursor !== null && { hint: `the first ${formatCount(MAX_OPTIONS, 'option')}` })}
      actions={
        can('options:write') && (
          <Button small icon="plus" onClick={() => setChosen('custom')}>
            Add custom item
          </Button>
        )
      }
    >
      {options.error !== null ? (
        <LoadError what="The options" error={options.error} onRetry={() => void options.refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState icon="catalogue" title="No more options">
          {home.planId === null
            ? 'The home has no plan, so only options for all plans can be chosen.'
            : 'Every active option of the plan and the community is already chosen.'}
        </EmptyState>
      ) : (
        <div className="table-wrap">
          <Table caption="Options to choose" columns={columns} rows={rows} keyOf={({ id }) => id} expected={4} />
        </div>
      )}
      {chosen === 'custom' && <CustomItemDialog home={home} onClose={() => setChosen(null)} />}
      {chosen !== null && chosen !== 'custom' && (
        <ChooseDialog
          home={home}
          option={chosen}
          isLate={(deadlineOf(chosen) ?? today) < today}
          onClose={() => setChosen(null)}
        />
      )}
    </Panel>
  )
}

/** Names the options that must be approved before this option, and the approved options that exclude it. */
function OptionRules(props: {
  option: Option
  approved: ReadonlySet<string | null>
  names: ReadonlyMap<string, string>
}) {
  const { option, approved, names } = props
  const nameOf = (id: string) => names.get(id) ?? 'another option'
  const missing = option.requiresOptionIds.filter((id) => !approved.has(id))
  const excluded = option.excludesOptionIds.filter((id) => approved.has(id))
  return (
    <>
      {missing.length > 0 && `, requires ${missing.map(nameOf).join(', ')}`}
      {excluded.length > 0 && <span className="tone-bad">, excluded by {excluded.map(nameOf).join(', ')}</span>}
    </>
  )
}

function ChooseDialog(props: { home: Home; option: Option; isLate: boolean; onClose(): void }) {
  const { home, option, isLate, onClose } = props
  const can = useCan()
  const [typed, setTyped] = useState('1')
  const [override, setOverride] = useState('')
  const quantity = parseTypedNumber(useDeferredValue(typed))
  const isAllowed = !isLate || override !== ''
  const trial = useDryRun(
    'addSelection',
    {
      ...{ homeId: home.id, optionId: option.id, quantity: quantity.value ?? 1 },
      // The text of the reason does not affect the outcome, so typing it does not repeat the dry run.
      ...(override !== '' && { overrideReason: 'Enter a reason.' }),
    },
    { enabled: can('skills:write') && quantity.error === null && quantity.value !== null && isAllowed },
  )
  const change = useAddSelection(option.name, onClose)
  return (
    <FormDialog
      title={`Choose ${option.name}`}
      note={home.name}
      word="Choose"
      isDisabled={!isAllowed}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const chosen = readNumberField(form, 'quantity')
        change.mutate({
          params: { path: { homeId: home.id } },
          body: {
            optionId: option.id,
            quantity: chosen ?? 1,
            color: readTextField(form, 'color') ?? null,
            location: readTextField(form, 'location') ?? null,
            ...(override !== '' && { overrideReason: override }),
          },
        })
      }}
    >
      {option.description !== null && <p className="muted">{option.description}</p>}
      <div onInput={({ target }) => target instanceof HTMLInputElement && setTyped(target.value)}>
        <TextField
          name="quantity"
          label={option.unit === 'EA' ? 'Quantity' : `Quantity in ${option.unit}`}
          defaultValue={1}
        />
      </div>
      <div className="form-row">
        <TextField name="color" label="Color or finish" optional />
        <TextField name="location" label="Location" optional />
      </div>
      {(isLate || needsOverride(change.error ?? trial.error)) && <OverrideField onChange={setOverride} />}
      {!needsOverride(trial.error) && <ChangeError error={trial.error} />}
      {trial.error === null && trial.data !== undefined && <ChoiceEffect home={home} selection={trial.data.result} />}
    </FormDialog>
  )
}

/** Says what a choice costs, and how it affects the price of the home once it is approved. */
function ChoiceEffect({ home, selection }: { home: Home; selection: Selection }) {
  const { cents, day } = useFormats()
  const { price, difference, deadline } = selection
  return (
    <p aria-live="polite">
      {price === null
        ? 'The price is not known, because a part has no price. '
        : difference !== null && home.price !== null
          ? `Price ${cents(price)}. Once approved, the price of the home changes from ${cents(home.price)} to ${cents(home.price + difference)}. `
          : `Price ${cents(price)}. `}
      {deadline !== null && `The buyer can change it until ${day(deadline)}.`}
    </p>
  )
}

function CustomItemDialog({ home, onClose }: { home: Home; onClose(): void }) {
  const scopes = useListPage('/api/ext/scopes', { limit: MAX_SCOPES, sort: 'sequence' })
  const change = useAddSelection('Custom item', onClose)
  return (
    <FormDialog
      title="Add custom item"
      note={home.name}
      word="Add item"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const description = readTextField(form, 'customDescription')
        const unitPrice = readNumberField(form, 'unitPrice')
        const cost = readNumberField(form, 'cost')
        change.mutate({
          params: { path: { homeId: home.id } },
          body: {
            customDescription: description ?? null,
            quantity: readNumberField(form, 'quantity') ?? 1,
            ...(unitPrice !== undefined && { unitPrice }),
            ...(cost !== undefined && { cost }),
            scope: readTextField(form, 'scope') ?? null,
            location: readTextField(form, 'location') ?? null,
            deadline: readTextField(form, 'deadline') ?? null,
          },
        })
      }}
    >
      <TextField name="customDescription" label="Description" placeholder="Dog wash in the laundry room" />
      <div className="form-row">
        <TextField name="quantity" label="Quantity" defaultValue={1} />
        <TextField name="unitPrice" label="Unit price" placeholder="1,850.00" />
      </div>
      <div className="form-row">
        <TextField name="cost" label="Total cost" optional hint="Required before the item is approved." />
        <SelectField
          name="scope"
          label="Trade"
          optional
          options={[
            { value: '', label: 'None' },
            ...(scopes.data?.data ?? []).map((scope) => ({ value: scope.name, label: humanizeName(scope.name) })),
          ]}
        />
      </div>
      <div className="form-row">
        <TextField name="location" label="Location" optional />
        <TextField name="deadline" label="Deadline" type="date" optional />
      </div>
    </FormDialog>
  )
}

function useAddSelection(name: string, onClose: () => void) {
  return plumbline.useMutation('post', '/api/ext/homes/{homeId}/selections', {
    onSuccess: ({ customDescription }) => {
      showToast(`${customDescription ?? name} chosen`)
      onClose()
    },
  })
}
