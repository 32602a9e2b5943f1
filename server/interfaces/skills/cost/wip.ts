import Big from 'big.js'
import { roundMoney, sum } from '../../../platform/values/money.ts'

interface Figures {
  contract: number
  estimatedCost: number
  costToDate: number
  uninstalledMaterials: number
  billed: number
  currency: string
}

/**
 * Calculates the revenue of a home that is earned over time. Uses the cost-to-cost method, an input method of ASC
 * 606-10-55-20. Materials that are not installed yet earn only their cost (ASC 606, example 19). An expected loss is
 * recognized in full (ASC 605-35-25-45). Rounds only the earned amount and the displayed percentage, which has two
 * decimals.
 */
export function calculateWip({ contract, estimatedCost, costToDate, uninstalledMaterials, billed, currency }: Figures) {
  const part = new Big(costToDate).minus(uninstalledMaterials)
  const whole = new Big(estimatedCost).minus(uninstalledMaterials)
  // The earned amount cannot exceed the contract. A backcharge without other costs is not negative progress. Without an
  // estimate, the progress is unknown.
  const isKnown = whole.gt(0) && part.gt(0)
  const isDone = isKnown && part.gte(whole)
  const percentComplete = !isKnown ? 0 : isDone ? 100 : part.times(100).div(whole).round(2, Big.roundHalfUp).toNumber()
  const margin = new Big(contract).minus(uninstalledMaterials)
  const installed = !isKnown ? new Big(0) : isDone ? margin : margin.times(part).div(whole)
  const earned = roundMoney(installed.plus(uninstalledMaterials), currency)
  const loss = Math.max(sum([estimatedCost, -contract]), 0)
  const lossToDate = loss > 0 ? sum([costToDate, -earned]) : 0
  return {
    ...{ percentComplete, earned, lossToDate, lossProvision: loss > 0 ? sum([loss, -lossToDate]) : 0 },
    ...{ estimatedProfit: sum([contract, -estimatedCost]), overUnder: sum([billed, -earned]) },
  }
}
