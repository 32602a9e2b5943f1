// A canceled sale keeps its total of options, because the home's selections then belong to other buyers.
export const optionsTotalOf = (sale: string) => `case when ${sale}."homeId" is null or ${sale}."status" = 'cancelled'
  then ${sale}."optionsFixed" else (select coalesce(sum("selected"."difference"), 0) from "selections" as "selected"
    where "selected"."organizationId" = ${sale}."organizationId" and "selected"."homeId" = ${sale}."homeId"
      and "selected"."status" in ('approved', 'ordered', 'installed')) end`

/** SQL of the price of a sale, over its row under the given alias. */
export const totalPriceOf = (sale: string) => `${sale}."basePrice" + ${sale}."lotPremium" + (${optionsTotalOf(sale)})
  - ${sale}."incentives" - ${sale}."discounts"`
