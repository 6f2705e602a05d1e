/** The parser of TOML that says where a mistake stands; a file of its own in the build, as only a mistake needs it. */
export { parse } from "@decimalturn/toml-patch";
