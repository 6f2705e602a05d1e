/** A JSON value, as it goes over a wire or into a store. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
