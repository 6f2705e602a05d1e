console.log("nothing measured");
