import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Option } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { readNumberField, readTextField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { CostCodeField } from '../actions/cost-code-field.tsx'
import { TradeField } from './trade-field.tsx'

const OPTION_TYPES = ['structural', 'design', 'upgrade', 'credit', 'allowance'] as const
const TYPE_HINTS: Readonly<Record<Option['optionType'], string>> = {
  structural: 'Changes the structure of the home.',
  design: 'Changes the appearance of the home.',
  upgrade: 'Improves the quality of a part.',
  credit: 'Removes something from the home. The price is negative.',
  allowance: 'An amount that the buyer can spend on a product.',
}

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
          <TradeField trade={option?.scope ?? null} />
          <CostCodeField
            hint="Defaults to the cost code of the trade."
            value={costCodeId}
            onChange={(id) => setChoices({ ...choices, costCodeId: id })}
          />
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
