import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Option } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { Field, readNumberField, readTextField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'

const OPTION_TYPES = ['structural', 'design', 'upgrade', 'credit', 'allowance'] as const
const TYPE_HINTS: Readonly<Record<Option['optionType'], string>> = {
  structural: 'Changes the structure of the home.',
  design: 'Changes the appearance of the home.',
  upgrade: 'Improves the quality of a part.',
  credit: 'Removes something from the home. The price is negative.',
  allowance: 'An amount that the buyer can spend on a product.',
}

/** The page size limit of one request. A builder has fewer trades. */
const MAX_SCOPES = 200

/** The entries that determine which fields the form has, and the chosen record. */
interface OptionChoices {
  optionType: Option['optionType']
  pricing: 'price' | 'margin'
  costBasis: Option['costBasis']
  costCodeId: string
}

function toChoices(option: Option | null): OptionChoices {
  return {
    optionType: option?.optionType ?? 'upgrade',
    pricing: option !== null && option.price === null ? 'margin' : 'price',
    costBasis: option?.costBasis ?? 'computed',
    costCodeId: option?.costCodeId ?? '',
  }
}

/** Creates an option, or changes its description, price, cost, and deadline. */
export function OptionDialog({ option, onClose }: { option: Option | null; onClose(): void }) {
  const navigate = useNavigate()
  const { currency } = useSession().organization
  const [initial] = useState(() => toChoices(option))
  const [choices, setChoices] = useState(initial)
  const { optionType, pricing, costBasis, costCodeId } = choices
  const entries = useMemo(
    () => ({ current: choices, isChanged: choices !== initial, restore: setChoices }),
    [choices, initial],
  )
  const scopes = useListPage('/api/ext/scopes', { limit: MAX_SCOPES, sort: 'sequence' })
  const create = plumbline.useMutation('post', '/api/ext/options', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} created`)
      onClose()
      void navigate(`/catalogue/options/${id}`)
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/options/{optionId}', {
    onSuccess: ({ name }) => {
      showToast(`${name} changed`)
      onClose()
    },
  })
  const isFixed = costBasis === 'fixed'
  return (
    <FormDialog
      title={option === null ? 'New option' : `Edit ${option.name}`}
      word={option === null ? 'Create option' : 'Save option'}
      change={option === null ? create : update}
      of={option ?? undefined}
      {...{ onClose, entries }}
      onSubmit={(form, ifMatch) => {
        const unit = readTextField(form, 'unit')?.toUpperCase()
        const body = {
          code: readTextField(form, 'code') ?? '',
          name: readTextField(form, 'name') ?? '',
          description: readTextField(form, 'description') ?? null,
          category: readTextField(form, 'category') ?? null,
          optionType,
          ...(unit !== undefined && { unit }),
          price: pricing === 'price' ? (readNumberField(form, 'price') ?? null) : null,
          marginPercent: pricing === 'margin' ? (readNumberField(form, 'marginPercent') ?? null) : null,
          costBasis,
          cost: isFixed ? (readNumberField(form, 'cost') ?? null) : null,
          // A computed cost has the trades and cost codes of its parts.
          ...(isFixed && {
            scope: readTextField(form, 'scope') ?? null,
            costCodeId: costCodeId === '' ? null : costCodeId,
          }),
          cutoffDaysBeforeStart: readNumberField(form, 'cutoffDaysBeforeStart') ?? null,
          cutoffTaskName: readTextField(form, 'cutoffTaskName') ?? null,
        }
        if (option === null) create.mutate({ body })
        else update.mutate({ params: { path: { optionId: option.id }, header: ifMatch }, body })
      }}
    >
      <div className="form-row">
        <TextField name="code" label="Code" autoFocus placeholder="KI-UP42" defaultValue={option?.code ?? ''} />
        <TextField
          name="category"
          label="Category"
          optional
          placeholder="Kitchen"
          defaultValue={option?.category ?? ''}
        />
      </div>
      <TextField name="name" label="Name" defaultValue={option?.name ?? ''} />
      <TextAreaField
        name="description"
        label="Description for the buyer"
        optional
        rows={2}
        defaultValue={option?.description ?? ''}
      />
      <div className="form-row">
        <SelectField
          name="optionType"
          label="Type"
          value={optionType}
          onChange={(value) =>
            setChoices({ ...choices, optionType: OPTION_TYPES.find((one) => one === value) ?? 'upgrade' })
          }
          options={OPTION_TYPES.map((value) => ({ value, label: humanizeName(value) }))}
          hint={TYPE_HINTS[optionType]}
        />
        <TextField name="unit" label="Unit" placeholder="EA" defaultValue={option?.unit ?? 'EA'} />
      </div>
      <div className="form-row">
        <SelectField
          name="pricing"
          label="Pricing method"
          value={pricing}
          onChange={(value) => setChoices({ ...choices, pricing: value === 'margin' ? 'margin' : 'price' })}
          options={[
            { value: 'price', label: 'Fixed price' },
            { value: 'margin', label: 'Margin on the cost' },
          ]}
        />
        {pricing === 'price' ? (
          <TextField
            name="price"
            label={`Price for the buyer, ${currency}`}
            defaultValue={option?.price ?? ''}
            placeholder={optionType === 'credit' ? '-500' : '1,370'}
          />
        ) : (
          <TextField
            name="marginPercent"
            label="Margin, percent of the price"
            defaultValue={option?.marginPercent ?? ''}
            placeholder="32.5"
          />
        )}
      </div>
      <div className="form-row">
        <SelectField
          name="costBasis"
          label="Cost method"
          value={costBasis}
          onChange={(value) => setChoices({ ...choices, costBasis: value === 'fixed' ? 'fixed' : 'computed' })}
          options={[
            { value: 'computed', label: 'Computed from the takeoff' },
            { value: 'fixed', label: 'Fixed amount' },
          ]}
        />
        {isFixed && <TextField name="cost" label={`Cost, ${currency}`} defaultValue={option?.cost ?? ''} />}
      </div>
      {isFixed && (
        <div className="form-row">
          <SelectField
            // The options arrive later, and would otherwise not contain the trade of the option.
            key={scopes.data === undefined ? 'loading' : 'loaded'}
            name="scope"
            label="Trade"
            optional
            defaultValue={option?.scope ?? ''}
            options={[
              { value: '', label: 'None' },
              ...(scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
            ]}
          />
          <Field name="costCodeId" label="Cost code" optional hint="Defaults to the cost code of the trade.">
            {(control) => (
              <RecordChoice
                control={control}
                list={{ path: '/api/ext/cost-codes', searches: true }}
                value={costCodeId === '' ? [] : [costCodeId]}
                isMultiple={false}
                onChange={([id = '']) => setChoices({ ...choices, costCodeId: id })}
              />
            )}
          </Field>
        </div>
      )}
      <div className="form-row">
        <TextField
          name="cutoffTaskName"
          label="Choose before this task"
          optional
          placeholder="Electrical rough-in"
          defaultValue={option?.cutoffTaskName ?? ''}
          hint="Name of a task in the schedule of the home."
        />
        <TextField
          name="cutoffDaysBeforeStart"
          label="Deadline in workdays before the home's start"
          optional
          {...(option !== null &&
            option.cutoffDaysBeforeStart !== null && { defaultValue: option.cutoffDaysBeforeStart })}
          hint="Selections are final afterward."
        />
      </div>
    </FormDialog>
  )
}
